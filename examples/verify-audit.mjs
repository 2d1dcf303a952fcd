// Verifies an export of an audit trail (JSON lines) with nothing but Node: node verify-audit.mjs audit.jsonl [key.pem]
// What is checked is written down in docs/audit.md. Exit code 0: everything fits; 1: something does not; 2: no export was named.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, keyFile] = process.argv.slice(2);
const fail = (reason) => {
  console.error(`DOES NOT FIT: ${reason}`);
  process.exit(1);
};
if (file === undefined || !existsSync(file)) {
  console.error('Name the export, and the key when there is one: node verify-audit.mjs audit.jsonl [key.pem]');
  process.exit(2);
}
let about,
  end,
  last = { seq: 0, hash: '' },
  entries = 0;
for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
  if (end) fail('there are lines after the last one');
  if (!about) {
    about = JSON.parse(line);
    if (about.format !== 'opslog-audit-1') fail('this is no export of an audit trail');
    continue;
  }
  const [, hash, previous, row] =
    /^\{"hash":"([0-9a-f]{64})","previous":"([0-9a-f]{64}|)","row":(\{.*\})\}$/.exec(line) ?? [];
  if (row === undefined) {
    end = JSON.parse(line);
    continue;
  }
  const { seq, workspace_id } = JSON.parse(row);
  if (workspace_id !== about.workspaceId) fail(`entry ${seq} is of another workspace`);
  if (
    createHash('sha256')
      .update(previous + row)
      .digest('hex') !== hash
  )
    fail(`entry ${seq} was edited`);
  if (about.complete ? seq !== last.seq + 1 : seq <= last.seq) fail(`entry ${seq} is out of order`);
  if (seq === last.seq + 1 && (about.complete || entries > 0) && previous !== last.hash)
    fail(`entry ${seq} does not follow`);
  last = { seq, hash };
  entries += 1;
}
if (end?.entries !== entries) fail('the export is not whole');
if (about.complete && keyFile) {
  const { payloadType, payload, signatures } = end.head;
  const bytes = Buffer.from(payload, 'base64');
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${bytes.length} `), bytes]);
  const key = createPublicKey(readFileSync(keyFile));
  if (payloadType !== 'application/vnd.opslog.audit-head.v1+json') fail('the head is of another kind');
  if (!verify(null, signed, key, Buffer.from(signatures[0].sig, 'base64'))) fail('this key did not sign the head');
  const head = JSON.parse(bytes);
  if (head.workspaceId !== about.workspaceId || head.sequence !== last.seq || head.hash !== last.hash)
    fail('the head is another one');
}
console.log(
  `${entries} entries fit${about.complete ? (keyFile ? ', none is missing, and the head is signed' : '') : ', of a filtered export'}.`,
);
