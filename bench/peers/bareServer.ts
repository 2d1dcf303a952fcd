import express from 'express';

/** The least that answers: express with one route. Argument: the port. */
const [port = '0'] = process.argv.slice(2);
express()
  .get('/health/live', (_request, response) => {
    response.json({ status: 'live' });
  })
  .listen(Number(port), '127.0.0.1');
