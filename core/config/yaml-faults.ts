import type { ErrorCode } from 'yaml';

/** Own words for the parser's errors: its own messages may quote the text, which may be secret. */
export const yamlReasons: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'cannot be read: an alias takes neither anchor nor tag',
  BAD_ALIAS: 'cannot be read: an alias has no name that can be used',
  BAD_COLLECTION_TYPE: 'cannot be read: a tag does not fit the collection that it stands at',
  BAD_DIRECTIVE: 'cannot be read: a % directive is malformed',
  BAD_DQ_ESCAPE:
    'cannot be read: a double-quoted string holds an unknown escape: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'cannot be read: the indentation is wrong, or a bracket is not closed',
  BAD_PROP_ORDER: 'cannot be read: anchors and tags must stand before the value',
  BAD_SCALAR_START: 'cannot be read: a plain value cannot start with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'cannot be read: a mapping cannot start here: the value may need quotes, or a line of its own',
  BLOCK_IN_FLOW: 'cannot be read: block style cannot stand inside brackets',
  DUPLICATE_KEY: 'cannot be read: the key stands twice in the same mapping',
  IMPOSSIBLE: 'cannot be read',
  KEY_OVER_1024_CHARS: 'cannot be read: a key is longer than 1024 characters',
  MISSING_CHAR: 'cannot be read: a character is missing: a closing quote or bracket, a comma, or a space after a colon',
  MULTILINE_IMPLICIT_KEY: 'cannot be read: a key must stand on one line: a colon or a closing quote may be missing',
  MULTIPLE_ANCHORS: 'cannot be read: a value takes one anchor',
  MULTIPLE_DOCS: 'cannot be read: the file must hold one document',
  MULTIPLE_TAGS: 'cannot be read: a value takes one tag',
  NON_STRING_KEY: 'cannot be read: a key must be a string',
  RESOURCE_EXHAUSTION: 'cannot be read: it is nested too deeply',
  TAB_AS_INDENT: 'cannot be read: tabs cannot indent: use spaces',
  TAG_RESOLVE_FAILED: 'cannot be read: a tag is not known: tags are not used in this file',
  UNEXPECTED_TOKEN: 'cannot be read: something stands where nothing is expected: a value may need quotes',
};
