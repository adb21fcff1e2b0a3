import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import validateProject from './validate-project.ts';

export default guardrail({ credentials, checks: { validateProject } });
