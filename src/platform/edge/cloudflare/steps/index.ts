import type { Step } from '../context.ts';
import { deploymentStep } from './deployment.ts';
import { schedulesStep } from './schedules.ts';
import { scriptStep } from './script.ts';
import { settingsStep } from './settings.ts';
import { subdomainStep } from './subdomain.ts';
import { verifyStep } from './verify.ts';
import { versionStep } from './version.ts';

/**
 * In the order in which they are performed. What only prepares comes first, so that a failure there leaves what is on the air
 * alone; `deployment` is what the world sees.
 */
export const stepNames = ['script', 'settings', 'version', 'deployment', 'schedules', 'subdomain', 'verify'] as const;
export type StepName = (typeof stepNames)[number];
export const isStepName = (step: string): step is StepName => stepNames.some((name) => name === step);

export const steps: Readonly<Record<StepName, Step>> = {
  script: scriptStep,
  settings: settingsStep,
  version: versionStep,
  deployment: deploymentStep,
  schedules: schedulesStep,
  subdomain: subdomainStep,
  verify: verifyStep,
};
