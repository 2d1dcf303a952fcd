import { testWorlds } from './worlds.ts';

testWorlds(501, 1_000);
