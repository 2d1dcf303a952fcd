import { afterAll, describe } from 'vitest';
import { type ApiWorld, startApi } from '../support/api.ts';
import { authSuite } from './auth.suite.ts';
import { badInputSuite } from './badInput.suite.ts';
import { faultSuite } from './faults.suite.ts';
import { httpSuite } from './http.suite.ts';
import { journeySuite } from './journey.suite.ts';
import { junkSuite } from './junk.suite.ts';
import { rejectionSuite } from './rejections.suite.ts';
import { tenancySuite } from './tenancy.suite.ts';

// One installation for all of them: starting it costs more than most of these rules.
let starting: Promise<ApiWorld> | undefined;
const shared = (): Promise<ApiWorld> => {
  starting ??= startApi();
  return starting;
};
afterAll(async () => (await shared()).stop());

describe('Journey', () => journeySuite(shared));
describe('Sign-in and roles', () => authSuite(shared));
describe('Tenancy', () => tenancySuite(shared));
describe('Rejections', () => rejectionSuite(shared));
describe('Bad input', () => badInputSuite(shared));
describe('HTTP', () => httpSuite(shared));
describe('Faults', () => faultSuite(shared));
describe('Junk', () => junkSuite(shared));
