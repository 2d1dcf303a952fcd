import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventSchemas, isEventType } from '../../src/commands/eventSchemas.ts';
import { catalog } from '../../src/domain/catalog.ts';
import { maskSecrets } from '../../src/domain/masking.ts';
import { asyncApi, asyncApiText } from '../../src/sagas/asyncApi.ts';
import { subjectOf, toCloudEvent } from '../../src/sagas/cloudEvent.ts';
import { version } from '../../src/version.ts';
import { makeHistory, sampleHistory } from '../support/history.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

describe('the description of the published events', () => {
  it('is committed as the code has it: run "npm run generate"', () => {
    const committed = readFileSync(join(import.meta.dirname, '../../asyncapi.json'), 'utf8');
    expect(committed).toBe(asyncApiText(version));
  });

  it('names every event of the catalogue and no other', () => {
    const known = Object.values(catalog).flatMap(({ events }) => Object.keys(events));
    expect(Object.keys(eventSchemas).sort()).toEqual(known.sort());
    expect(Object.keys(asyncApi(version).channels)).toHaveLength(known.length);
  });

  it('leads every reference to something that is there', () => {
    const document = asyncApi(version);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    const broken = references.filter((path) => {
      let place: unknown = document;
      for (const part of path.split('/')) {
        place =
          typeof place === 'object' && place !== null
            ? Object.entries(place).find(([key]) => key === part)?.[1]
            : undefined;
      }
      return place === undefined;
    });
    expect(references.length).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  it('fits what is really written and published, on the channel that it names', async () => {
    const log = createMemoryLog();
    await makeHistory(log, sampleHistory(600, 5));
    const channels = new Set(Object.values(asyncApi(version).channels).map(({ address }) => address));
    const seen = new Set<string>();
    for (const stored of log.events) {
      if (!isEventType(stored.type)) throw new Error(`${stored.type} has no schema`);
      seen.add(stored.type);
      const schema = eventSchemas[stored.type];
      expect(Object.keys(schema.shape), stored.type).toEqual(expect.arrayContaining(Object.keys(stored.data)));
      expect(schema.safeParse(stored.data).error, stored.type).toBeUndefined();
      expect(schema.safeParse(maskSecrets(stored.data, { maxStringLength: 8_192 })).error, stored.type).toBeUndefined();
      const event = toCloudEvent(stored);
      if (!event) throw new Error(`${stored.type} is not published`);
      const [prefix = '', , category = '', type = ''] = subjectOf('opslog', event).split('.');
      expect(channels).toContain(`${prefix}.{workspaceId}.${category}.${type}`);
    }
    expect(seen.size).toBeGreaterThan(25);
  });
});
