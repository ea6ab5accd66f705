/** Catalogue of EV0xx: errors found while parsing a file. */
import type { Draft, Meta } from '../finding.ts'
import type { Span } from './source.ts'

export const syntaxFindings = {
  EV001: {
    slug: 'yaml-syntax',
    severity: 'error',
    why: 'A file with invalid YAML cannot be checked.',
  },
  EV002: {
    slug: 'duplicate-key',
    severity: 'error',
    why: 'If a key is written twice, one of the two values would be lost.',
  },
  EV003: {
    slug: 'no-anchors-or-tags',
    severity: 'error',
    why: 'Every value must be written in this file, in one place.',
  },
  EV004: {
    slug: 'value-truncated-by-hash',
    severity: 'warning',
    why: 'A # after a space begins a comment, so the rest of the text is lost.',
  },
  EV005: {
    slug: 'braces-need-quotes',
    severity: 'error',
    why: 'YAML reads {…} as a block of keys. Text with braces needs quotes.',
  },
  EV006: {
    slug: 'comma-in-braces',
    severity: 'error',
    why: 'Inside {…} a comma ends an entry, so the rest of the text becomes a key.',
  },
  EV009: {
    slug: 'tab',
    severity: 'error',
    why: 'YAML must be indented with spaces, not tabs.',
  },
  EV010: {
    slug: 'several-documents',
    severity: 'error',
    why: 'Everything after --- would be ignored.',
  },
  EV011: {
    slug: 'hidden-characters',
    severity: 'error',
    why: 'With an invisible character, two names that look the same are different.',
  },
  EV012: {
    slug: 'key-without-space',
    severity: 'error',
    why: 'Without a space after it, a colon is part of the text, so the line has no key.',
  },
  EV013: {
    slug: 'not-utf-8',
    severity: 'error',
    why: 'A file saved in another encoding contains wrong characters.',
  },
  EV019: {
    slug: 'renamed-key',
    severity: 'warning',
    why: 'The old name still works, but only the new name is documented.',
  },
} as const satisfies Record<string, Meta>
export type SyntaxFindingName = keyof typeof syntaxFindings

export type Report = (
  code: SyntaxFindingName,
  span: Span,
  path: string,
  draft: Omit<Draft, 'at' | 'span'>,
) => void
