export { status as run } from './maintenance.ts';
