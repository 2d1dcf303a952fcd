import { randomUUID } from 'node:crypto';
import express from 'express';
import pg from 'pg';

/** An express route that inserts one row. Arguments: database, as URL; the metadata of a row, as JSON. */
const [url = '', metadata = '{}'] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
await pool.query(
  'create table if not exists commands (id uuid primary key, worker_id text not null, verb text not null, metadata jsonb not null, created_at timestamptz not null default now())',
);

const app = express();
app.post('/workers/:id/:verb', async (request, response) => {
  const { id, verb } = request.params;
  const row = [randomUUID(), id, verb, metadata];
  await pool.query({
    name: 'insert',
    text: 'insert into commands (id, worker_id, verb, metadata) values ($1, $2, $3, $4)',
    values: row,
  });
  response.json({ id });
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 }));
});
