/** Which process has a metric. */
type Home = 'API' | 'worker' | 'API and worker';

export interface Label {
  readonly meaning: string;
  /** All values, where the service itself names them; every other value becomes `other`. */
  readonly values?: readonly string[];
}

/** The declaration of a metric; the registry, the document and the tests are derived from it. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly home: Home;
  readonly labels: Readonly<Record<string, Label>>;
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[];
}
