/** The style of a day report: for screens, paper and mail programs that show attachments. */
export const dayReportStyle = `
:root { color-scheme: light; --quiet: #5b6470; --line: #d9dee4; --accent: #0b6b5d }
body { font: 15px/1.45 system-ui, sans-serif; color: #15191e; max-width: 68rem; margin: 2rem auto;
  padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.05rem; margin: 1.75rem 0 .35rem }
.state { padding: .5rem .75rem; border-left: 4px solid; font-weight: 600 }
.good { border-color: #18794e; background: #e9f6ef } .bad { border-color: #b3261e; background: #fdecea }
.figures { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)) }
.figures div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem }
.figures span { display: block; color: var(--quiet) } .figures strong { font-size: 1.1rem }
.charts { display: grid; gap: 0 1.5rem; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)) }
.chart { display: block; width: 100%; height: auto }
.chart .bar { fill: var(--accent) } .chart .grid { stroke: var(--line) }
.chart .label { fill: var(--quiet); font-size: 13px }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
@page { size: A4; margin: 15mm }
@media print { body { margin: 0; padding: 0; max-width: none } section { break-inside: avoid } }
`;
