import { guardrail } from 'portcullis/sdk';
import contentSafety from './content-safety.ts';
import { credentials } from './credentials.ts';
import pii from './pii.ts';
import protectedMaterial from './protected-material.ts';
import shieldPrompt from './shield-prompt.ts';

export default guardrail({ credentials, checks: { contentSafety, pii, shieldPrompt, protectedMaterial } });
