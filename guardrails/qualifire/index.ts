import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { detectors } from './detectors.ts';
import policy from './policy.ts';
import toolUseQuality from './tool-use-quality.ts';

export default guardrail({ credentials, checks: { ...detectors, toolUseQuality, policy } });
