export { begin as run } from './maintenance.ts';
