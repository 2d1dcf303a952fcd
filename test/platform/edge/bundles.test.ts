import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolderStore } from '../../../src/platform/artifacts/folderStore.ts';
import { openBundles } from '../../../src/platform/edge/workerd/bundles.ts';
import { newFolder } from './support.ts';

describe("the node's bundles", () => {
  it('are fetched once, and again when their file was damaged', async () => {
    const [folder, store] = [await newFolder(), await openFolderStore(await newFolder())];
    const bundles = openBundles(folder, store);
    const { digest } = await store.put(Buffer.from('export default 1'));
    expect(await bundles.ensure(digest)).toEqual({ ok: true, fetched: true });
    expect(await bundles.ensure(digest)).toEqual({ ok: true, fetched: false });
    writeFileSync(join(folder, `${digest}.mjs`), 'export default 2');
    expect(await bundles.intact(digest)).toBe(false);
    expect(await bundles.ensure(digest)).toEqual({ ok: true, fetched: true });
    expect(await bundles.intact(digest)).toBe(true);
  });

  it('survive a sweep while a process is being started from them, and go once nobody uses them', async () => {
    const [folder, store] = [await newFolder(), await openFolderStore(await newFolder())];
    const bundles = openBundles(folder, store);
    const { digest } = await store.put(Buffer.from('export default 1'));
    const none = () => new Set<string>();
    await bundles.holding(digest, async () => {
      await bundles.ensure(digest);
      await bundles.sweep(none);
      expect(await bundles.intact(digest)).toBe(true);
    });
    await bundles.sweep(() => new Set([digest]));
    expect(await bundles.intact(digest)).toBe(true);
    await bundles.sweep(none);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are refused when the store finds them damaged', async () => {
    const [folder, storeFolder] = [await newFolder(), await newFolder()];
    const store = await openFolderStore(storeFolder);
    const { digest } = await store.put(Buffer.from('export default 1'));
    writeFileSync(join(storeFolder, digest.slice(0, 2), digest), 'export default 2');
    expect(await openBundles(folder, store).ensure(digest)).toMatchObject({ ok: false, code: 'BundleCorrupt' });
  });
});
