/** The golden pairs: for each code, the smallest file with that finding, and the checker's output. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  collectChangedValues,
  compareWithServedVersion,
  compileEvent,
  compileEvents,
  formatFindings,
  type Finding,
  type UsageCounts,
  type SharedFiles,
} from '../../../engine/authoring.ts'

export const GOLDENS = join(import.meta.dirname, 'goldens')
export const readGolden = (name: string): string => readFileSync(join(GOLDENS, name), 'utf8')
const readSharedFile = (name: string) => ({
  path: `_shared/${name}.yaml`,
  text: readGolden(`_shared/${name}.yaml`),
})
export const shared: SharedFiles = {
  lists: readSharedFile('lists'),
  gateways: readSharedFile('gateways'),
  texts: readSharedFile('texts'),
}
export const sampleFile = readGolden('_base.yaml')
/** The sample file with one category that has its own periods. */
export const sampleFileWithPriceGroup = sampleFile
  .replace('    visitor: [2000, 2500]\n', '')
  .replace(
    'form:\n',
    `  price_groups:
    - label: Visitors
      periods:
        - {id: early, label: Until Christmas, to: 2026-01-10}
        - {id: standard, label: Standard, from: 2026-01-11, to: 2026-02-20}
        - {id: last, label: Last weeks, from: 2026-02-21}
      prices:
        period: [early, standard, last]
        visitor: [2000, 2500, 3000]
form:
`,
  )

/** Stored data for the codes EV10xx: registrations with answers to every field, and one pending payment. */
const usageCounts: UsageCounts = {
  registrations: 7,
  pending: 1,
  fields: { full_name: 7, email: 7, phone_number: 7, is_member: 7, role: 7, number: 3 },
  options: { role: { pg: 2, intern: 5 } },
  categories: { member: 3, visitor: 4 },
  items: { dinner: 3 },
  places: { hall: 6 },
  codes: { vip: 2 },
}
/** Returns a function that adds a block to the previous version, which the new version lacks. */
const addBlock = (block: string) => (text: string) => text.replace('form:\n', `${block}\nform:\n`)
/** For each code, the change that turns the base file into the previous version. */
const previousVersionByCode: Readonly<Record<string, (text: string) => string>> = {
  EV1003: (text) =>
    text.replace(
      '        - {id: is_member',
      '        - {id: role, type: select, label: Role, options: [pg, intern, consultant], required: true}\n        - {id: is_member',
    ),
  EV1009: (text) =>
    text.replace(
      'form:\n',
      '  items: [{id: dinner, label: Dinner, when: {is_member: true}, prices: {period: [early, late], each: [500, 600]}}]\nform:\n',
    ),
  EV1014: () => readGolden('EV1014.yaml').replace('currency: EUR\n', ''),
  EV1010: addBlock('quotas: [{id: hall, max: 100, full: The hall is full}]'),
  EV1011: addBlock('quotas: [{id: hall, max: 100, full: The hall is full}]'),
  EV1012: addBlock(
    'codes: {kinds: [{id: vip, label: Guest of honour, gives: {category: member}}]}',
  ),
  EV1013: (text) =>
    addBlock(
      'member_lists: {members: {key: number, columns: {number: text, kind: [life, annual]}}}',
    )(
      text.replace(
        '        - {id: is_member',
        '        - {id: number, label: Number, in: members}\n        - {id: is_member',
      ),
    ),
}

/** Returns the code in a pair's name, such as `EV103` or, if the code has several pairs, `EV103-price-with-rs`. */
export const readCode = (name: string): string => name.replace(/-.*/, '')

/** Codes whose pair is loaded together with the base file, under another name. */
const CODES_LOADED_WITH_BASE = /^EV80[12468]$/

/** Checks a golden file as its code requires: alone, together with the base file, or as a new version of it. */
export function checkGolden(
  name: string,
  text = readGolden(`${name}.yaml`),
): { readonly findings: readonly Finding[]; readonly printed: string } {
  const code = readCode(name)
  const path =
    code === 'EV807'
      ? 'sample2026.yaml'
      : CODES_LOADED_WITH_BASE.test(code)
        ? 'second2026.yaml'
        : 'sample2026.yaml'
  const sources = new Map(
    [
      { path, text },
      { path: 'sample2026.yaml', text: path === 'sample2026.yaml' ? text : sampleFile },
      shared.lists,
      shared.gateways,
      shared.texts,
    ].map((file) => [file.path, file.text]),
  )
  const findings = collectFindings(code, path, text)
  return { findings, printed: formatFindings(findings, sources) }
}

function collectFindings(code: string, path: string, text: string): readonly Finding[] {
  if (CODES_LOADED_WITH_BASE.test(code))
    return compileEvents(
      [
        { path, text },
        { path: 'sample2026.yaml', text: sampleFile },
      ],
      shared,
    ).files.flatMap(({ findings }) => findings)
  if (/^EV10\d\d$/.test(code)) {
    const [newEvent, oldEvent] = [
      compileEvent(text, shared, { path }),
      compileEvent(
        (previousVersionByCode[code] ?? ((unchanged) => unchanged))(sampleFile),
        shared,
        {
          path,
        },
      ),
    ]
    if (newEvent.event === null || oldEvent.event === null)
      throw new Error(`${code}: both versions must be free of errors to be compared`)
    const changedValues = collectChangedValues(newEvent.event, oldEvent.event)
    const pick = <T>(values: Readonly<Record<string, T>>, ids: readonly string[]) =>
      Object.fromEntries(Object.entries(values).filter(([id]) => ids.includes(id)))
    const relevantCounts = {
      ...usageCounts,
      fields: pick(usageCounts.fields, changedValues.fields),
      options: pick(usageCounts.options, changedValues.options),
      items: changedValues.items ? usageCounts.items : {},
    }
    return compareWithServedVersion(newEvent.event, { path, text }, oldEvent.event, relevantCounts)
  }
  return compileEvent(text, shared, { path }, code === 'EV420' ? { on: '2026-11-21' } : {}).findings
}
