import type { Surface } from '../domain/refusals.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { operationIdOf } from '../openapi/document.ts';
import { nameOfOperation } from '../openapi/operation-names.ts';
import { DOCS_PATH } from './page.ts';

/** Of the list of an API's endpoints, below `DOCS_PATH`. */
export const indexPath = (surface: Surface): string => `/reference/${surface}`;

/** Of an endpoint's page, below `DOCS_PATH`: `/reference/partner/generate-voucher`. */
export const operationPath = (
  surface: Surface,
  endpoint: Pick<Endpoint, 'method' | 'path'>,
): string => {
  const { name } = nameOfOperation(surface, operationIdOf(endpoint));
  return `${indexPath(surface)}/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
};

/** The whole address of an endpoint's page. */
export const operationAddress = (
  surface: Surface,
  endpoint: Pick<Endpoint, 'method' | 'path'>,
): string => DOCS_PATH + operationPath(surface, endpoint);
