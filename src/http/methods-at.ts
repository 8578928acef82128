import type Router from '@koa/router';

/** The methods of a router's routes at a path. */
export const methodsAt = (router: Router, path: string): string[] =>
  router.match(path, 'OPTIONS').path.flatMap(({ methods }) => methods);
