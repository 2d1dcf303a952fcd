import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with what was left out and one line of counts, so that neither can be overlooked. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    const skipped = new Map<string, number>();
    for (const module of modules) {
      let inModule = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'failed') counts.failed += 1;
        else {
          counts.skipped += 1;
          skipped.set(test.parent.type === 'suite' ? test.parent.fullName : module.relativeModuleId, 0);
          inModule += 1;
        }
      }
      if (module.state() === 'failed' && inModule === 0 && [...module.children.allTests()].length === 0)
        counts.failed += 1;
    }
    for (const name of skipped.keys()) process.stdout.write(`skipped: ${name}\n`);
    const more = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${more}\n`);
  }
}
