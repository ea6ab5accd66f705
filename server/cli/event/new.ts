/** `rollcall new`: prompts for a few values, one at a time, and writes an event file. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { DEFAULT_GATEWAY, dayOf, err, INR, ok, readCurrency } from '../../../engine/index.ts'
import {
  compileEvent,
  deriveEventId,
  formatFindings,
  createEventFile,
  findPrefix,
  QUESTIONS,
  suggestCurrency,
} from '../../../engine/authoring.ts'
import type { Day, Result } from '../../../engine/index.ts'
import type { NewEventAnswers } from '../../../engine/authoring.ts'
import type { Command, Terminal } from '../command.ts'
import { createClock } from '../../ops/clock.ts'
import { parseArguments } from '../options.ts'
import { findEventsFolder, readSharedFiles } from './open-event-file.ts'

const help = `Usage: rollcall new <event id> [options]

Writes a commented first event file, <event id>.yaml in EVENTS_DIR (events/). It asks for everything that the options
do not provide; answers can be typed or piped in. If an answer is invalid, it asks again and keeps the other answers. For
an empty answer, it writes a placeholder and lists it under demo:.

  --title <text>         --venue <text>      --support <address>
  --from <day>           --to <day>          12 March 2027, 12/03/2027 (day first), 2027-03-12
  --currency <code>      currency of the prices, such as EUR; default INR. In any other currency, delegates pay by bank transfer
  --categories <list>    prices by period, in that currency: "Member = 4000 / 5000 / 6000; Student = 1000".
                         Separate them with semicolons, commas or line breaks; free: no charge, none: not on sale.
                         Or a table copied from a spreadsheet, with the dates in its first row
  --gst none|inside|on-top                   inside: the prices include GST; on-top: GST is added to the prices
                         for a currency other than INR: "VAT 19% inside", "VAT 19% on top" or none
  --companions <price>   price of an accompanying person: "4000 / 5000, free under 5", or none
  --workshops <list>     prices and seats: "ECG = 1500 / 2000, 30 seats"; "ECG for Student = free" in the same list is
                         the price of a category. Or a table copied from a spreadsheet
  --early-until <days>   last day of each price except the final one: "31 August 2026; 31 October 2026"
  --refund <list>        "until 31 January 2027: 75%; until 28 February 2027: 50%", or none
  --edit-until <day>     last day on which delegates can change their answers
  --on-site online|desk|no                   how delegates register on the days of the conference: online too, only at the
                         front desk, or not at all
  --account <name>       name of the account at the payment gateway, whose credentials the server has
  --colour <#rrggbb>     colour of the pages
  --confirm              falling prices and days without registration between periods are intended
  --free                 free event; the same as --payment none
  --out <folder>         folder of the file; default EVENTS_DIR, or events
  --yes                  ask no questions

A running server shows the event as soon as the file is in its folder. To repeat an existing event next year, see
rollcall event repeat.

Exit status: 0 written; 1 the file would have findings; 2 invalid usage, or the file exists; 3 internal error.`

const stringOption = { type: 'string' } as const
const options = {
  title: stringOption,
  from: stringOption,
  to: stringOption,
  venue: stringOption,
  support: stringOption,
  'early-until': stringOption,
  payment: stringOption,
  categories: stringOption,
  currency: stringOption,
  gst: stringOption,
  companions: stringOption,
  workshops: stringOption,
  refund: stringOption,
  'edit-until': stringOption,
  'on-site': stringOption,
  account: stringOption,
  colour: stringOption,
  confirm: { type: 'boolean' },
  free: { type: 'boolean' },
  out: stringOption,
  yes: { type: 'boolean' },
} as const

export const newCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, options, [1, 1], help, terminal)
    if (parsed === null) return 2
    const {
      out = findEventsFolder(terminal),
      yes = false,
      free,
      payment,
      currency: code,
      confirm = false,
      ...values
    } = parsed.values
    const [name = ''] = parsed.positionals
    const id = deriveEventId(name)
    if (id === null) {
      terminal.printError(
        `An event id consists of letters and digits, such as surgeons2027; "${name}" contains no letters.`,
      )
      return 2
    }
    const file = path.join(out, `${id}.yaml`)
    if (existsSync(file)) {
      terminal.printError(`${file} already exists.`)
      return 2
    }
    const prefix = findPrefix(id, await readUsedPrefixes(out))
    if (prefix === null) {
      terminal.printError(
        'All prefixes for registration numbers of this id are in use. Choose another id.',
      )
      return 2
    }
    if (payment !== undefined && payment !== DEFAULT_GATEWAY && payment !== 'none') {
      terminal.printError(`--payment must be ${DEFAULT_GATEWAY} or none, not "${payment}".`)
      return 2
    }
    const currency = code === undefined ? INR : readCurrency(code)
    if (currency === null) {
      const suggestion = suggestCurrency(code ?? '')
      terminal.printError(
        `--currency must be an ISO 4217 code, not "${code}"${suggestion === null ? '' : `: write ${suggestion}`}.`,
      )
      return 2
    }
    if (payment === DEFAULT_GATEWAY && currency !== INR) {
      terminal.printError(
        'Airpay accepts only rupees: leave out --payment, or write --currency INR.',
      )
      return 2
    }
    const isFree = free === true || payment === 'none'
    const freeAnswer = isFree ? { free: 'yes' } : payment === DEFAULT_GATEWAY ? { free: 'no' } : {}
    const today = dayOf(createClock(null)())
    const answersResult = await askQuestions(
      { ...values, ...freeAnswer },
      { ...(currency === INR ? {} : { currency }), isConfirmed: confirm },
      today,
      yes ? null : openLineReader(terminal),
      terminal,
    )
    if (!answersResult.ok) {
      terminal.printError('Nothing was written.')
      return 2
    }
    const content = createEventFile({ ...answersResult.value, id, prefix, today })
    const { findings } = compileEvent(content, await readSharedFiles(file, terminal), {
      path: file,
    })
    const problems = findings.filter(({ severity }) => severity !== 'note')
    if (problems.length > 0)
      terminal.printError(formatFindings(problems, new Map([[file, content]])))
    if (problems.some(({ severity }) => severity === 'error')) return 1
    await mkdir(out, { recursive: true })
    await writeFile(file, content, { flag: 'wx' })
    printNextSteps(file, name, id, terminal)
    return 0
  },
}

function printNextSteps(file: string, name: string, id: string, terminal: Terminal): void {
  const renameNotice =
    name === id ? '' : `An event id can contain only letters and digits, so the id is ${id}.\n`
  terminal.print(
    `${renameNotice}${file} was written. Read it from top to bottom, then:\n  rollcall validate ${file}\n  rollcall event preview ${file} --out preview\nIts form is at /${id}, its registrations at /admin/events/${id}/registrations.`,
  )
}

/** Reads typed or piped lines. `next` returns null if there are no more lines. */
type LineReader = {
  readonly next: (question: string) => Promise<string | null>
  /** True after Ctrl-C, which ends the questions without writing a file. */
  readonly isStopped: () => boolean
  readonly close: () => void
}

/** Queues lines as they arrive, because a pipe delivers all of them together. */
function openLineReader({ input = process.stdin }: Terminal): LineReader {
  const isInteractive = input.isTTY === true
  const readline = createInterface({
    input,
    output: process.stdout,
    terminal: isInteractive,
  })
  const lines = readline[Symbol.asyncIterator]()
  let isStopped = false
  readline.on('SIGINT', () => {
    isStopped = true
    readline.close()
  })
  return {
    next: async (question) => {
      if (isInteractive) {
        readline.setPrompt(`${question} `)
        readline.prompt()
      }
      const line = await lines.next()
      // Empty cells at the ends of a pasted line are kept.
      return line.done === true ? null : line.value.replace(/^ +| +$/g, '')
    },
    isStopped: () => isStopped,
    close: () => readline.close(),
  }
}

/**
 * Combines options and answers, checking each as it arrives. Repeats a question after an invalid answer, with the
 * reason. Ends if the input is not interactive, or has ended.
 */
async function askQuestions(
  options: Readonly<Partial<Record<(typeof QUESTIONS)[number]['name'], string>>>,
  providedAnswers: NewEventAnswers,
  today: Day,
  lines: LineReader | null,
  terminal: Terminal,
): Promise<Result<NewEventAnswers, 'unanswered'>> {
  let draft = providedAnswers
  try {
    for (const { name, buildQuestion, example, parse } of QUESTIONS) {
      const sentence = buildQuestion(draft)
      const question =
        sentence === null || example === undefined ? sentence : `${sentence} (${example(draft)})`
      const readAnswer = (prompt: string) =>
        readReply(lines, prompt, name === 'categories' || name === 'workshops')
      let answer = options[name] ?? (question === null ? null : await readAnswer(question))
      while (answer !== null && answer !== '') {
        const result = parse(answer, draft, today)
        if (result.ok) {
          draft = result.value
          break
        }
        terminal.printError(result.error)
        answer = await readAnswer(question ?? name)
        if (answer === null) return err('unanswered')
      }
      if (lines?.isStopped() === true) return err('unanswered')
    }
  } finally {
    lines?.close()
  }
  return ok(draft)
}

/**
 * Reads an answer. A multiline answer continues as long as its lines end with a separator; a table ends with an empty
 * line.
 */
async function readReply(
  lines: LineReader | null,
  question: string,
  isMultiline: boolean,
): Promise<string | null> {
  let answer = (await lines?.next(question)) ?? null
  if (!isMultiline) return answer
  // A pasted table ends with an empty line.
  if (answer?.includes('\t') === true)
    for (let line = await lines?.next('…'); line; line = await lines?.next('…'))
      answer += `\n${line}`
  while (answer !== null && /[;,]$/.test(answer)) {
    const nextLine = (await lines?.next('…')) ?? null
    if (nextLine === null || nextLine === '') break
    answer += `\n${nextLine}`
  }
  return answer
}

/** Returns the number prefixes of the other events in the folder. Ignores unreadable files. */
async function readUsedPrefixes(folder: string): Promise<readonly string[]> {
  const names = existsSync(folder)
    ? (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name))
    : []
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
  return texts.flatMap(
    (content) => /^order_id:[^]*?\bprefix:\s*"?([A-Z][A-Z0-9]*)/m.exec(content)?.[1] ?? [],
  )
}
