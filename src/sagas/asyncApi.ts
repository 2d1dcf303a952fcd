import { eventJsonSchema, isEventType } from '../commands/eventSchemas.ts';
import { catalog } from '../domain/catalog.ts';

/** `<category>.<Event>` for every event of the catalogue, in its order. */
const published = Object.values(catalog).flatMap(({ category, events }) =>
  Object.keys(events).flatMap((type) => (isEventType(type) ? [{ category, type }] : [])),
);

const text = (description: string) => ({ type: 'string', description });

/** The attributes of CloudEvents 1.0 that every message has, and our extensions. */
const envelope = {
  type: 'object',
  required: [
    'specversion',
    'id',
    'source',
    'type',
    'subject',
    'time',
    'datacontenttype',
    'data',
    'position',
    'revision',
  ],
  properties: {
    specversion: { const: '1.0' },
    id: text('Id of the event in the log, and the message id. A consumer that remembers it handles an event once.'),
    source: text('/opslog/<category>/<id of the subject>'),
    type: text('opslog.<category>.<Event>'),
    subject: text('Id of what the event is about.'),
    time: { type: 'string', format: 'date-time', description: 'When the log recorded it.' },
    datacontenttype: { const: 'application/json' },
    data: { type: 'object', description: 'Secrets are masked, long texts left out.' },
    position: text('Commit position in the log, decimal. It rises from event to event.'),
    revision: { type: 'integer', minimum: 0, description: 'Counts the events of one subject from 0, without holes.' },
    workspaceid: text('Absent when it belongs to no workspace.'),
    departmentid: text('Absent when it belongs to no department.'),
    correlationid: text('The same for everything that one request led to.'),
    causationid: text('Id of the event or command that led to it.'),
    actortype: text('user, apiToken or system. Absent in events of unknown origin.'),
    actorid: text('Id of the user or token, or the name of the part of the platform that acted.'),
    dataleftout: {
      type: 'integer',
      description: 'Bytes of data that were left out because the message was too large.',
    },
  },
};

const words = (type: string): string => type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** What NATS consumers can rely on, as an AsyncAPI 3.0 document. */
export const asyncApi = (version: string, subjectPrefix = 'opslog') => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Opslog events',
    version,
    description:
      'Every event of the log as a CloudEvent in structured mode on NATS JetStream: at least once, in the order of its subject.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/cloudevents+json',
  servers: { nats: { host: 'localhost:4222', protocol: 'nats', description: 'NATS_URL; the stream is OPSLOG.' } },
  channels: Object.fromEntries(
    published.map(({ category, type }) => [
      `${category}.${type}`,
      {
        address: `${subjectPrefix}.{workspaceId}.${category}.${type}`,
        parameters: { workspaceId: { $ref: '#/components/parameters/workspaceId' } },
        messages: { [type]: { $ref: `#/components/messages/${type}` } },
      },
    ]),
  ),
  operations: Object.fromEntries(
    published.map(({ category, type }) => [
      `publish${type}`,
      {
        action: 'send',
        channel: { $ref: `#/channels/${category}.${type}` },
        messages: [{ $ref: `#/channels/${category}.${type}/messages/${type}` }],
      },
    ]),
  ),
  components: {
    parameters: {
      workspaceId: { description: 'Id of the workspace, or "platform" for what belongs to none.' },
    },
    messages: Object.fromEntries(
      published.map(({ category, type }) => [
        type,
        {
          name: `opslog.${category}.${type}`,
          title: words(type),
          contentType: 'application/cloudevents+json',
          headers: { type: 'object', properties: { 'Nats-Msg-Id': text('Id of the event.') } },
          payload: {
            allOf: [
              { $ref: '#/components/schemas/CloudEvent' },
              {
                type: 'object',
                properties: {
                  type: { const: `opslog.${category}.${type}` },
                  data: { $ref: `#/components/schemas/${type}` },
                },
              },
            ],
          },
        },
      ]),
    ),
    schemas: {
      CloudEvent: envelope,
      ...Object.fromEntries(published.map(({ type }) => [type, eventJsonSchema(type)])),
    },
  },
});

/** The committed file. */
export const asyncApiText = (version: string): string => `${JSON.stringify(asyncApi(version), null, 2)}\n`;
