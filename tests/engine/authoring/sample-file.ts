/** Builds variants of the goldens' base file, and collects their findings. */
import { compileEvent } from '../../../engine/authoring.ts'
import type { Finding } from '../../../engine/authoring.ts'
import { sampleFile, shared } from './goldens.ts'

/**
 * Returns the base file as a three-day conference in March, with an early bird period that ends in October. The id
 * of the given second period must be `regular`.
 */
export const createMarchFile = (secondPeriod: string): string =>
  sampleFile
    .replaceAll('2026\n', '2027\n')
    .replace('id: sample2027', 'id: sample2026')
    .replace('from: 2026-03-07', 'from: 2027-03-14')
    .replace('to: 2026-03-08', 'to: 2027-03-16')
    .replace('{id: early, to: 2026-01-31}', '{id: early, label: Early Bird, to: 2026-10-30}')
    .replace('{id: late, from: 2026-02-01}', secondPeriod)
    .replace('[early, late]', '[early, regular]')
/** Returns the base file with one more field, given as `id: x, label: Y`. */
export const addField = (line: string): string =>
  sampleFile.replace('  summary:', `        - {${line}}\n  summary:`)
export const collectFindings = (text: string): readonly Finding[] =>
  compileEvent(text, shared, { path: 'sample2026.yaml' }).findings
/** Returns errors and warnings (but not notes), with their codes and lines. */
export const listFindings = (text: string): readonly string[] =>
  collectFindings(text)
    .filter(({ severity }) => severity !== 'note')
    .map(({ code, at, message }) => `${code} line ${at.start.line}: ${message}`)
/** Returns the 1-based number of the line on which `part` begins. */
export const findLine = (text: string, part: string): number =>
  text.slice(0, text.indexOf(part)).split('\n').length
