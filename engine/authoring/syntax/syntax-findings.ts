/** Catalogue of EV0xx: errors when reading the text of a file. */
import type { Draft, Meta } from '../finding.ts'
import type { Span } from './source.ts'

export const reading = {
  EV001: {
    slug: 'yaml-syntax',
    severity: 'error',
    why: 'What cannot be read has no meaning to check.',
  },
  EV002: {
    slug: 'duplicate-key',
    severity: 'error',
    why: 'Of two values under one name, one would be lost without a word.',
  },
  EV003: {
    slug: 'no-anchors-or-tags',
    severity: 'error',
    why: 'What this file says must be readable in this file, at one place.',
  },
  EV004: {
    slug: 'text-cut-by-hash',
    severity: 'warning',
    why: 'A hash after a space begins a comment, so the rest of the text is gone.',
  },
  EV005: {
    slug: 'braces-need-quotes',
    severity: 'error',
    why: 'YAML reads {…} as a block of keys; as a text it needs quotes.',
  },
  EV006: {
    slug: 'comma-in-braces',
    severity: 'error',
    why: 'Inside {…} a comma ends an entry, so half of the text becomes a key.',
  },
  EV009: {
    slug: 'tab',
    severity: 'error',
    why: 'YAML is indented with spaces; a tab has no agreed width.',
  },
  EV010: {
    slug: 'several-documents',
    severity: 'error',
    why: 'Everything after --- would be ignored.',
  },
  EV011: {
    slug: 'hidden-characters',
    severity: 'error',
    why: 'A character that nobody sees makes two names differ that look the same.',
  },
  EV012: {
    slug: 'key-without-space',
    severity: 'error',
    why: 'Without a space after it a colon is a letter like any other, and the key is none.',
  },
  EV013: {
    slug: 'not-utf-8',
    severity: 'error',
    why: 'A file saved in another encoding has other letters than its author sees.',
  },
  EV019: {
    slug: 'renamed-key',
    severity: 'warning',
    why: 'The old name is still read, but only the new one is explained anywhere.',
  },
} as const satisfies Record<string, Meta>
export type Reading = keyof typeof reading

export type Report = (
  code: Reading,
  span: Span,
  path: string,
  draft: Omit<Draft, 'at' | 'span'>,
) => void
