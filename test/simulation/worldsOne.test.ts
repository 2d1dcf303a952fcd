import { testWorlds } from './worlds.ts';

testWorlds(1, 500);
