/** Reads the guard for each fault, and writes the tables of guards in docs. */
import { join } from 'node:path'
import { readMutations, ROOT } from '../mistakes.ts'
import type { Mutation } from '../mistakes.ts'

// A guard is stored as the text replacement that removes it. `money.yaml`: lost payments; `attacks.yaml`: the
// security test; `office.yaml`: conflicts between staff; `operation.yaml`: operation; `servers.yaml`: several servers
// with one database; `treasury.yaml`: bank statements, corrections and tax documents; `closing.yaml`: the month-end
// close, exports and payments at the desk; `delegates.yaml`: pages, emails, browsers and the clock.
// Keys: `about` is what a user saw; `finding`, its number; `without`, the protection that is removed; `test`, the file
// and title of the test that then fails; `red`, part of its error; `build: web` means that it uses the built web app.

export const SUBJECTS = [
  'money',
  'treasury',
  'delegates',
  'attacks',
  'office',
  'operation',
  'servers',
  'closing',
] as const
export type Subject = (typeof SUBJECTS)[number]
/** The number of faults on each subject. */
export const FAULT_COUNTS: Readonly<Record<Subject, number>> = {
  money: 41,
  treasury: 71,
  delegates: 51,
  attacks: 32,
  office: 41,
  operation: 17,
  servers: 11,
  closing: 29,
}

type RowCells = readonly [symptom: string, protection: string, file: string]

/** Table rows for faults whose guard is listed under another fault. */
export const GUARDS_IN_OTHER_TABLES: Readonly<Record<Subject, Readonly<Record<number, RowCells>>>> =
  {
    money: {},
    treasury: {},
    delegates: {},
    attacks: {
      6: [
        'An old price never expired.',
        'See [payment guard 18](../money/guards.md)',
        '`tests/server/payments/pay.test.ts`',
      ],
    },
    office: {
      16: [
        'A treasurer refunded another event’s payment by its order id.',
        'A refund takes only a registration number: see guard 15',
        '`tests/server/office/permissions/role-matrix.test.ts`',
      ],
    },
    operation: {},
    servers: {},
    closing: {},
  }

export type Guard = {
  readonly mutation: Mutation
  readonly subject: Subject
  readonly finding: number
  /** The subject and number of the fault, such as "money 14". */
  readonly findingName: string
  readonly test: { readonly file: string; readonly name: string }
  /** Part of the failing test's error. */
  readonly expectedError: string
  /** True if the test uses the built web app, which must be rebuilt without the guard. */
  readonly needsWebBuild: boolean
}

/** Reads all guards of this tree, or of an unchanged copy, in the order of their faults. */
export function readGuards(root = ROOT): readonly Guard[] {
  return SUBJECTS.flatMap((subject) =>
    readMutations(join(root, 'tests', 'guards', `${subject}.yaml`))
      .map((mutation): Guard => {
        const [file = '', ...name] = mutation.readExtraValue('test').split(' | ')
        const finding = Number(mutation.readExtraValue('finding'))
        const findingName = `${subject} ${finding}`
        const test = { file, name: name.join(' | ') }
        const expectedError = mutation.readExtraValue('red')
        const needsWebBuild = mutation.readExtraValue('build') === 'web'
        return { mutation, subject, finding, findingName, test, expectedError, needsWebBuild }
      })
      .toSorted((one, other) => one.finding - other.finding),
  )
}

/** Returns a page with a new table below `<!-- guards: money -->`. */
export function updatePage(text: string): string {
  return text.replaceAll(/(?<=<!-- guards: (\w+) -->\n\n)(?:\|.*\n)*/g, (_, subject: Subject) =>
    buildTable(subject),
  )
}

type Row = readonly [finding: number, ...cells: RowCells]

function buildTable(subject: Subject): string {
  const guardRows = readGuards()
    .filter((guard) => guard.subject === subject)
    .map(({ finding, mutation, test }): Row => [
      finding,
      mutation.symptom,
      mutation.readExtraValue('without'),
      `\`${test.file}\``,
    ])
  const elsewhereRows = Object.entries(GUARDS_IN_OTHER_TABLES[subject]).map(
    ([finding, cells]): Row => [Number(finding), ...cells],
  )
  const rows = [...guardRows, ...elsewhereRows]
    .toSorted(([one], [other]) => one - other)
    .map((cells) => cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | '))
  return ['No. | Symptom | Protection | Test', '--:|---|---|---', ...rows]
    .map((row) => `| ${row} |\n`)
    .join('')
}
