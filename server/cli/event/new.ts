/** `rollcall new`: asks a few questions, one at a time, and writes an event file. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { dayOf, err, ok } from '../../../engine/index.ts'
import {
  compileEvent,
  eventIdFrom,
  formatFindings,
  newEventFile,
  findPrefix,
  QUESTIONS,
} from '../../../engine/authoring.ts'
import type { Day, Result } from '../../../engine/index.ts'
import type { NewEventAnswers } from '../../../engine/authoring.ts'
import type { Command, Terminal } from '../command.ts'
import { makeClock } from '../../ops/clock.ts'
import { readArguments } from '../options.ts'
import { sharedFor } from './open-event-file.ts'

const help = `Usage: rollcall new <event id> [options]

Writes a commented first event file, events/<event id>.yaml. It asks for what the options do not state, at the
terminal or from piped lines. If an answer cannot be read, it asks again and keeps the others. For an empty answer
it writes a placeholder and lists it under demo:.

  --title <text>         --venue <text>      --support <address>
  --from <day>           --to <day>          12 March 2027, 12/03/2027 (day first), 2027-03-12
  --categories <list>    early and later price, in rupees: "Member = 4000 / 5000; Student = 1000".
                         Separate them with ; or commas or lines; free: no charge, none: not on sale
  --gst none|inside|on-top                   whether the prices include it
  --companions <price>   price of an accompanying person: "4000 / 5000, free under 5", or none
  --workshops <list>     prices and seats: "Ultrasound = 1500 / 2000, 30 seats; ECG = 1000, 40 seats"
  --early-until <day>    last day of the early prices
  --free                 nobody pays; the same as --payment none
  --out <folder>         folder of the file; default events
  --yes                  ask nothing

A running server shows the event as soon as the file is in its folder. To repeat an existing event next year, see
rollcall event repeat.

Exit status: 0 written; 1 it would have findings; 2 invalid usage, or the file exists; 3 internal error.`

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
  gst: text,
  companions: text,
  workshops: text,
  free: { type: 'boolean' },
  out: text,
  yes: { type: 'boolean' },
} as const

export const creating: Command = {
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, options, [1, 1], help, terminal)
    if (given === null) return 2
    const { out = 'events', yes = false, free, payment, ...values } = given.values
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
      terminal.complain(`${file} already exists.`)
      return 2
    }
    const prefix = findPrefix(id, await takenPrefixes(out))
    if (prefix === null) {
      terminal.complain('No prefix for registration numbers is left for this id. Choose another.')
      return 2
    }
    if (payment !== undefined && payment !== 'airpay' && payment !== 'none') {
      terminal.complain(`Payment is airpay or none, not "${payment}".`)
      return 2
    }
    const isFree = free === true || payment === 'none'
    const asked = isFree ? { free: 'yes' } : payment === 'airpay' ? { free: 'no' } : {}
    const today = dayOf(makeClock(null)())
    const told = await interview(
      { ...values, ...asked },
      today,
      yes ? null : answers(terminal),
      terminal,
    )
    if (!told.ok) {
      terminal.complain('Nothing is written.')
      return 2
    }
    const written = newEventFile({ ...told.value, id, prefix, today })
    const { findings } = compileEvent(written, await sharedFor(file), { path: file })
    const wrong = findings.filter(({ severity }) => severity !== 'note')
    if (wrong.length > 0) terminal.complain(formatFindings(wrong, new Map([[file, written]])))
    if (wrong.some(({ severity }) => severity === 'error')) return 1
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
    `${renamed}${file} is written. Read it from top to bottom, then:\n  rollcall validate ${file}\n  rollcall event preview ${file} --out preview\nIts form is at /${id}, its list at /admin/${id}.`,
  )
}

/** Returns the next typed or piped line; null when there are no more. */
type Answers = {
  readonly next: (question: string) => Promise<string | null>
  /** Ctrl-C: no further questions, and nothing is written. */
  readonly isStopped: () => boolean
  readonly close: () => void
}

/** Lines are queued as they arrive: a pipe delivers them all at once, and none may be lost. */
function answers({ input = process.stdin }: Terminal): Answers {
  const isTyped = input.isTTY === true
  const reading = createInterface({
    input,
    output: process.stdout,
    terminal: isTyped,
  })
  const lines = reading[Symbol.asyncIterator]()
  let stopped = false
  reading.on('SIGINT', () => {
    stopped = true
    reading.close()
  })
  return {
    next: async (question) => {
      if (isTyped) {
        reading.setPrompt(`${question} `)
        reading.prompt()
      }
      const line = await lines.next()
      return line.done === true ? null : line.value.trim()
    },
    isStopped: () => stopped,
    close: () => reading.close(),
  }
}

/**
 * Combines options and answers, each checked as it arrives. An invalid answer is asked for again with the reason;
 * without a user, or without further lines, the interview ends.
 */
async function interview(
  given: Readonly<Partial<Record<(typeof QUESTIONS)[number]['name'], string>>>,
  today: Day,
  lines: Answers | null,
  terminal: Terminal,
): Promise<Result<NewEventAnswers, 'unanswered'>> {
  let told: NewEventAnswers = {}
  try {
    for (const { name, asks, reads } of QUESTIONS) {
      const question = asks(told)
      const ask = (asked: string) =>
        answerTo(lines, asked, name === 'categories' || name === 'workshops')
      let answer = given[name] ?? (question === null ? null : await ask(question))
      while (answer !== null && answer !== '') {
        const read = reads(answer, told, today)
        if (read.ok) {
          told = read.value
          break
        }
        terminal.complain(read.error)
        answer = await ask(question ?? name)
        if (answer === null) return err('unanswered')
      }
      if (lines?.isStopped() === true) return err('unanswered')
    }
  } finally {
    lines?.close()
  }
  return ok(told)
}

/** Reads a line; an answer with `goesOn` continues on the next lines while a line ends with a separator. */
async function answerTo(
  lines: Answers | null,
  question: string,
  goesOn: boolean,
): Promise<string | null> {
  let answer = (await lines?.next(question)) ?? null
  if (!goesOn) return answer
  while (answer !== null && /[;,]$/.test(answer)) {
    const more = (await lines?.next('…')) ?? null
    if (more === null || more === '') break
    answer += `\n${more}`
  }
  return answer
}

/** Returns the number prefixes of the other events in the folder; unreadable files are ignored. */
async function takenPrefixes(folder: string): Promise<readonly string[]> {
  const names = existsSync(folder)
    ? (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name))
    : []
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
  return texts.flatMap(
    (content) => /^order_id:[^]*?\bprefix:\s*"?([A-Z][A-Z0-9]*)/m.exec(content)?.[1] ?? [],
  )
}
