import { guardrail } from 'portcullis/sdk';
import addPrefix from './add-prefix.ts';
import allowedRequestTypes from './allowed-request-types.ts';
import characterCount from './character-count.ts';
import contains from './contains.ts';
import containsCode from './contains-code.ts';
import endsWith from './ends-with.ts';
import inlineImages from './inline-images.ts';
import jsonKeys from './json-keys.ts';
import jsonSchema from './json-schema.ts';
import jwt from './jwt.ts';
import { allLowerCase, allUpperCase } from './letter-case.ts';
import log from './log.ts';
import modelRules from './model-rules.ts';
import modelWhitelist from './model-whitelist.ts';
import notNull from './not-null.ts';
import regexMatch from './regex-match.ts';
import regexReplace from './regex-replace.ts';
import requestParametersCheck from './request-parameters-check.ts';
import requiredMetadataKeyPairs from './required-metadata-key-pairs.ts';
import requiredMetadataKeys from './required-metadata-keys.ts';
import sentenceCount from './sentence-count.ts';
import validUrls from './valid-urls.ts';
import webhook from './webhook.ts';
import wordCount from './word-count.ts';

export default guardrail({
  checks: {
    addPrefix,
    allowedRequestTypes,
    alllowercase: allLowerCase,
    alluppercase: allUpperCase,
    characterCount,
    contains,
    containsCode,
    endsWith,
    inlineImages,
    // Both spellings are in use.
    isAllLowerCase: allLowerCase,
    jsonKeys,
    jsonSchema,
    jwt,
    log,
    modelRules,
    modelWhitelist,
    modelwhitelist: modelWhitelist,
    notNull,
    regexMatch,
    regexReplace,
    requestParametersCheck,
    requiredMetadataKeyPairs,
    requiredMetadataKeys,
    sentenceCount,
    validUrls,
    webhook,
    wordCount,
  },
});
