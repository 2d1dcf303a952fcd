export { end as run } from './maintenance.ts';
