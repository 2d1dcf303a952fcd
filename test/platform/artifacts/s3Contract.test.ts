import { afterAll, beforeAll } from 'vitest';
import { artifactStoreContract } from '../../contract/artifactStore.contract.ts';
import { startTestS3, type TestS3 } from '../../support/s3.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.stop());

// Few rounds, since each request takes its time; s3Races.test.ts tries many orders without a server.
artifactStoreContract(
  'an S3 server',
  async (clock) => {
    const address = s3.address();
    return async () => s3.open({ address, now: () => clock.now });
  },
  10,
);
