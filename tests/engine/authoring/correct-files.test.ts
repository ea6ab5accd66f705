/** Ten complete, correct event files of different kinds have no findings, even after harmless edits. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileEvent } from '../../../engine/authoring.ts'
import { chooseRuns } from '../../runs.ts'
import { sharedFiles } from '../event-files.ts'
import { addLine, EDITS, TERMS } from './harmless-edits.ts'

const FOLDER = join(import.meta.dirname, 'correct-files')
const names = readdirSync(FOLDER).sort()
const readEventText = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
const listFindings = (name: string, text: string): readonly string[] =>
  compileEvent(text, sharedFiles, { path: name }).findings.map(
    ({ code, message, at }) => `${code} line ${at.start.line}: ${message}`,
  )

/** The number of edits per file. */
const EDITS_PER_FILE = 40
/** `npm test` applies every fourth edit, starting with a different edit in each file. */
const EDIT_STEP = EDITS_PER_FILE / chooseRuns(EDITS_PER_FILE)

/**
 * Returns the edits that change the file, then edits that each add one line of terms and conditions. Each file starts
 * with a different line.
 */
function createEdits(text: string, index: number): readonly (readonly [string, string])[] {
  const effectiveEdits = Object.entries(EDITS).flatMap(([edit, change]) => {
    const changed = change(text)
    return changed === text ? [] : [[edit, changed] as const]
  })
  const lines = TERMS.map((_line, at) => TERMS[(at + index * 4) % TERMS.length] ?? '')
  return [...effectiveEdits, ...lines.map((line) => [line, addLine(text, line)] as const)].slice(
    0,
    EDITS_PER_FILE,
  )
}

test('there are ten files and seventy-two lines of terms', () => {
  expect([names.length, TERMS.length]).toEqual([10, 72])
})

test.each(names)(
  '%s has no findings when unchanged, after any edit, or with all lines of the terms',
  (name) => {
    const text = readEventText(name)
    expect(listFindings(name, text)).toEqual([])
    const edits = createEdits(text, names.indexOf(name))
    expect(new Set(edits.map(([, changed]) => changed)).size).toBe(EDITS_PER_FILE)
    expect(
      edits
        .filter((_, index) => index % EDIT_STEP === names.indexOf(name) % EDIT_STEP)
        .flatMap(([edit, changed]) =>
          listFindings(name, changed).map((finding) => `${edit}: ${finding}`),
        ),
    ).toEqual([])
    expect(listFindings(name, TERMS.reduce(addLine, text))).toEqual([])
  },
)
