// The health check of a container: 0 while its process is ready. The first word is its port, by default the API's.
const port = process.argv[2] ?? process.env.PORT ?? '3000';
const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isReady ? 0 : 1);
