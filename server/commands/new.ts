/** `rollcall new`: asks a few questions and writes an event file. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import {
  compileEvent,
  dayOf,
  eventIdFrom,
  formatFindings,
  isDay,
  newEventFile,
  paise,
  prefixFor,
  readAmount,
} from '../../engine/index.ts'
import type { Day, SampleCategory, SampleOptions } from '../../engine/index.ts'
import type { Command, Terminal } from './command.ts'
import { makeClock } from '../machine/clock.ts'
import { readArguments } from './arguments.ts'
import { sharedFor } from './files.ts'

const help = `Usage: rollcall new <event id> [options]

Writes a commented event file to begin with, events/<event id>.yaml. At a terminal it asks what it is
not told; otherwise, and where a question is left empty, a stand-in is written and listed under demo:.

  --title <text>         --from <day>       --to <day>           --venue <text>
  --support <address>    --early-until <day>                     --payment airpay|none
  --categories <list>    with early and regular price: "Member = 4000 / 5000, Student = 1000 / 1500"
  --out <folder>         where to write it, events if left out
  --yes                  ask nothing

A server that serves this folder shows the event as soon as the file is there.

Exit status: 0 written, 1 it would have findings, 2 asked wrongly, or the file is there already,
3 our fault.`

const text = { type: 'string' } as const
const options = {
  title: text,
  from: text,
  to: text,
  venue: text,
  support: text,
  'early-until': text,
  payment: text,
  categories: text,
  out: text,
  yes: { type: 'boolean' },
} as const

const questions = [
  ['title', 'What is the conference called?'],
  ['from', 'On which day does it begin? (2027-01-30)'],
  ['to', 'On which day does it end?'],
  ['venue', 'Where is it?'],
  ['support', 'To which address do delegates write?'],
  [
    'categories',
    'Who pays what, early and later, in rupees? (Member = 4000 / 5000, Student = 1000 / 1500)',
  ],
  ['early-until', 'Until which day do the early prices hold?'],
  ['payment', 'How is it paid: airpay or none?'],
] as const
type Asked = Partial<Record<(typeof questions)[number][0], string>>

export const creating: Command = {
  summary: 'Write a first event file',
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, options, [1, 1], help, terminal)
    if (given === null) return 2
    const { out = 'events', yes, ...values } = given.values
    const [name = ''] = given.positionals
    const id = eventIdFrom(name)
    if (id === null) {
      terminal.complain(
        `An event id is letters and digits, such as surgeons2027; "${name}" holds no letter.`,
      )
      return 2
    }
    const file = path.join(out, `${id}.yaml`)
    if (existsSync(file)) {
      terminal.complain(`${file} is there already.`)
      return 2
    }
    const told: Asked = process.stdin.isTTY && yes !== true ? await ask(values) : values
    const today = dayOf(makeClock(null)())
    const prefix = prefixFor(id, await takenPrefixes(out))
    const read =
      prefix === null
        ? 'No beginning of registration numbers is left for this id; choose another.'
        : readOptions(told, { id, prefix, today })
    if (typeof read === 'string') {
      terminal.complain(read)
      return 2
    }
    const written = newEventFile(read)
    const { findings } = compileEvent(written, await sharedFor(file), { path: file })
    if (findings.some(({ severity }) => severity === 'error')) {
      terminal.complain(formatFindings(findings, new Map([[file, written]])))
      return 1
    }
    await mkdir(out, { recursive: true })
    await writeFile(file, written, { flag: 'wx' })
    sayNext(file, name, id, terminal)
    return 0
  },
}

function sayNext(file: string, name: string, id: string, terminal: Terminal): void {
  const renamed =
    name === id ? '' : `An event id holds letters and digits only, so the event is called ${id}.\n`
  terminal.print(
    `${renamed}${file} is written. Read it from top to bottom, then:\n  rollcall validate ${file}\n  rollcall preview ${file} --out preview\nIts form is at /${id}, its list at /admin/${id}.`,
  )
}

/** Asks what was not told; an empty answer leaves a stand-in. */
async function ask(told: Asked): Promise<Asked> {
  const reading = createInterface({ input: process.stdin, output: process.stdout })
  const answers: Asked = { ...told }
  try {
    for (const [name, question] of questions) {
      if (answers[name] !== undefined) continue
      const answer = (await reading.question(`${question} `)).trim()
      if (answer !== '') answers[name] = answer
    }
  } finally {
    reading.close()
  }
  return answers
}

/** The options, or the sentence that says what is wrong with them. */
function readOptions(
  told: Asked,
  known: Pick<SampleOptions, 'id' | 'prefix' | 'today'>,
): SampleOptions | string {
  const { title, venue, support, payment } = told
  for (const name of ['from', 'to', 'early-until'] as const) {
    const day = told[name]
    if (day !== undefined && !isDay(day))
      return `A day is written year-month-day, 2027-01-30; "${day}" is none.`
  }
  const [from, to, earlyUntil] = [told.from, told.to, told['early-until']] as (Day | undefined)[]
  if (from !== undefined && to !== undefined && to < from)
    return `The conference would end (${to}) before it begins (${from}).`
  if (support !== undefined && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(support))
    return `"${support}" is not an e-mail address.`
  if (payment !== undefined && payment !== 'airpay' && payment !== 'none')
    return `Payment is airpay or none, not "${payment}".`
  const categories = told.categories === undefined ? undefined : readCategories(told.categories)
  if (categories === null)
    return `Categories are written "Member = 4000 / 5000, Student = 1000 / 1500"; "${told.categories}" is not.`
  return {
    ...known,
    ...(title === undefined ? {} : { title }),
    ...(venue === undefined ? {} : { venue }),
    ...(support === undefined ? {} : { support }),
    ...(from === undefined ? {} : { from }),
    // One day given is the whole conference.
    ...(to === undefined ? (from === undefined ? {} : { to: from }) : { to, from: from ?? to }),
    ...(earlyUntil === undefined ? {} : { earlyUntil }),
    ...(payment === undefined ? {} : { payment }),
    ...(categories === undefined ? {} : { categories }),
  }
}

function readCategories(list: string): readonly SampleCategory[] | null {
  const read = list.split(',').map((part): SampleCategory | null => {
    const found = /^\s*(.+?)\s*=\s*(?:₹|Rs\.?)?\s*([\d.]+)(?:\s*\/\s*([\d.]+))?\s*$/u.exec(part)
    const early = readAmount(found?.[2] ?? '')
    const regular = found?.[3] === undefined ? early : readAmount(found[3])
    return found === null || early === null || regular === null || early <= 0
      ? null
      : { label: found[1] ?? '', early: paise(early), regular: paise(regular) }
  })
  return read.every((one) => one !== null) ? read : null
}

/** What the numbers of the other events in the folder begin with; a file that cannot be read takes none. */
async function takenPrefixes(folder: string): Promise<readonly string[]> {
  const names = existsSync(folder)
    ? (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name))
    : []
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
  return texts.flatMap(
    (content) => /^order_id:[^]*?\bprefix:\s*"?([A-Z][A-Z0-9]*)/m.exec(content)?.[1] ?? [],
  )
}
