import { openApiDocuments } from '../../src/openapi/both-documents.ts';

/** The operations of both documents that none of some requests called. */
export function missingOperations(
  requests: readonly { readonly method: string; readonly path: string }[],
): string[] {
  const isCalled = (method: string, pattern: RegExp) =>
    requests.some((one) => one.method === method && pattern.test(one.path.replace(/\?.*/, '')));
  const documents = Object.values(openApiDocuments('http://localhost'));
  return documents.flatMap(({ servers, paths }) =>
    Object.entries(paths ?? {}).flatMap(([path, operations]) => {
      const address = decodeURI(new URL(`${servers?.[0]?.url}${path}`).pathname);
      const pattern = new RegExp(`^${address.replace(/\{\w+\}/, '[^/]+')}$`);
      return Object.keys(operations)
        .map((method) => method.toUpperCase())
        .filter((method) => !isCalled(method, pattern))
        .map((method) => `${method} ${address}`);
    }),
  );
}
