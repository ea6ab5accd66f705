/** `rollcall event explain`: shows how an event determines category and price. */
import { removeContext, extractContext, formatPrice, readInstant } from '../../../engine/index.ts'
import {
  explainPrice,
  createLineFinder,
  readEvent,
  readContext,
  formatExplanation,
  type Explanation,
} from '../../../engine/authoring.ts'
import type { EventConfig, RawAnswers } from '../../../engine/index.ts'
import type { Command, Status, Terminal } from '../command.ts'
import { createClock } from '../../ops/clock.ts'
import { parseSharedFiles } from '../../events/versions/version-approval.ts'
import { openExistingStore } from '../open-existing-store.ts'
import type { StoredRegistration } from '../../storage/index.ts'
import { parseArguments } from '../options.ts'
import { openEvent } from './open-event-file.ts'

const help = `Usage: rollcall event explain <file or event id> [--given <answers>]… [<field>=<answer>]… [--on <day>]
                        [--code <kind>] [--full <quota>]… [--member-list <field>.<column>=<value>]…
       rollcall event explain --registration <number>

Explains why a delegate pays an amount: how each answer was read or why it was dropped, the rules that were
tried, the cell in the price table (with its line), the tax, and each line of the bill.

  --given <answers>         answers as JSON, {"asi_member": true}, or one answer as field=answer. Listed people:
                            'companions=[{"name": "Asha", "age": 9}]'
  method=<id>               the payment method, as if it were a field
  --on <day>                a date in Indian time (2026-01-25) or a time with its offset; default: now
  --code <kind>             as if a code of this kind had been entered (or: unknown, spent, over, withdrawn)
  --full <quota>            as if no seat were left: a quota's id, or quota.option
  --member-list <field>.<column>=<value>   the value in a column of the member list for an answer; <field>=none: not
                            on the list
  --registration <number>   a stored registration: calculates its price again with the version of the event
                            file it was registered with (in the database of DATA_DIR)
  --json                    print JSON
  --shared <folder>         folder of lists.yaml, gateways.yaml and texts.yaml

An event id refers to its file in EVENTS_DIR (events/).

Exit status: 0 done; 1 the file has errors, or the stored price differs; 2 invalid usage; 3 internal error.`

const options = {
  given: { type: 'string', multiple: true },
  on: { type: 'string' },
  code: { type: 'string' },
  full: { type: 'string', multiple: true },
  'member-list': { type: 'string', multiple: true },
  /** The earlier name of --member-list. */
  roll: { type: 'string', multiple: true },
  registration: { type: 'string' },
  json: { type: 'boolean' },
  shared: { type: 'string' },
} as const

export const explainCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, options, [0, 100], help, terminal)
    if (parsed === null) return 2
    const { values, positionals } = parsed
    const memberList = [...(values['member-list'] ?? []), ...(values.roll ?? [])]
    if (values.registration !== undefined) {
      const { given: answers, on, code, full } = values
      if (
        positionals.length + memberList.length === 0 &&
        [answers, on, code, full].every((option) => option === undefined)
      )
        return explainStoredRegistration(values.registration, values.json === true, terminal)
      terminal.printError(
        '--registration uses the stored answers, day and context: omit the file, --given, --on, --code, --full and --member-list.',
      )
      return 2
    }
    const [name, ...pairs] = positionals
    const answers = parseAnswers([...(values.given ?? []), ...pairs], terminal)
    const at = values.on === undefined ? createClock(null)() : readInstant(values.on)
    if (at === null)
      terminal.printError(
        `--on must be a date (2026-01-25) or a time with its offset (2026-01-25T12:00:00+05:30), not "${values.on}".`,
      )
    if (name === undefined) terminal.printError(help.split('\n\n')[0] ?? help)
    if (name === undefined || answers === null || at === null) return 2
    const openResult = await openEvent(name, terminal, values.shared)
    if (!openResult.ok) return openResult.status
    const { event, file } = openResult.value
    const context = readContext(event, { ...values, memberList })
    if (!context.ok) {
      terminal.printError(context.error)
      return 2
    }
    printExplanation(
      explainPrice(event, readYesAndNo(event, answers), at, context.value),
      event,
      file.text,
      values.json === true,
      terminal,
    )
    return openResult.value.status
  },
}

function printExplanation(
  explanation: Explanation,
  event: EventConfig,
  text: string,
  isJson: boolean,
  terminal: Terminal,
): void {
  const findLine = createLineFinder(text)
  if (isJson)
    terminal.print(
      JSON.stringify(
        {
          event: event.id,
          ...explanation,
          line: explanation.cell === null ? null : findLine(explanation.cell.keyPath),
          lines: explanation.lines.map((line) => ({ ...line, at: findLine(line.keyPath) })),
        },
        null,
        2,
      ),
    )
  else terminal.print(formatExplanation(event, explanation, findLine))
}

/**
 * Parses the given answers; later values override earlier ones. Prints the error and returns null if an answer cannot
 * be parsed.
 */
function parseAnswers(texts: readonly string[], terminal: Terminal): RawAnswers | null {
  let answers: RawAnswers = {}
  for (const text of texts) {
    const pair = /^([a-z][a-z0-9_.-]*)=(.*)$/su.exec(text)
    const json = pair === null ? parseObject(text) : { [pair[1] ?? '']: pair[2] ?? '' }
    if (json === null) {
      terminal.printError(
        `Answers are JSON, {"asi_member": true}, or field=answer; "${text}" is neither.`,
      )
      return null
    }
    answers = { ...answers, ...json }
  }
  return answers
}

/** Converts yes and no, which `simulate` prints, to the values of the form. */
function readYesAndNo({ fields }: EventConfig, answers: RawAnswers): RawAnswers {
  const isYesNo = (id: string): boolean =>
    fields.some((field) => field.id === id && (field.type === 'yes-no' || field.type === 'consent'))
  return Object.fromEntries(
    Object.entries(answers).map(([id, answer]) => [
      id,
      typeof answer === 'string' && /^(?:yes|no)$/i.test(answer) && isYesNo(id)
        ? answer.toLowerCase() === 'yes'
        : answer,
    ]),
  )
}

function parseObject(text: string): RawAnswers | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as RawAnswers)
      : null
  } catch {
    return null
  }
}

async function explainStoredRegistration(
  regNo: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<Status> {
  const environment = terminal.environment()
  if (environment === null) return 2
  const store = await openExistingStore(environment)
  try {
    const registration = await store.registration(regNo)
    if (registration === null) {
      terminal.printError(`No registration found for ${regNo}.`)
      return 2
    }
    const version = await store.eventFile(registration.eventHash)
    const event =
      version === null ? null : readEvent(version.text, parseSharedFiles(version.shared))
    if (version === null || event === null) {
      terminal.printError(
        `The version of the event file that ${regNo} was registered with (${registration.eventHash.slice(0, 12)}) is not stored.`,
      )
      return 3
    }
    if (!isJson)
      terminal.print(
        `${regNo}, registered with version ${version.hash.slice(0, 12)} of ${registration.eventId}.yaml`,
      )
    const explanation = explainRegistration(event, registration)
    printExplanation(explanation, event, version.text, isJson, terminal)
    return compareWithStored(explanation, registration, terminal)
  } finally {
    await store.close()
  }
}

/** Explains a price with the context that was stored with the answers. */
function explainRegistration(
  event: EventConfig,
  { answers, createdAt, total }: StoredRegistration,
): Explanation {
  const context = extractContext(event, answers)
  return explainPrice(event, removeContext(event, answers), createdAt, context, total)
}

/** Compares the stored quote with a newly computed one. */
function compareWithStored(
  { quote }: Explanation,
  stored: StoredRegistration,
  terminal: Terminal,
): Status {
  if (stored.total === null && (quote === null || !quote.ok)) return 0
  const current = quote?.ok === true ? quote.value : null
  if (
    current !== null &&
    current.total === stored.total &&
    current.base === stored.base &&
    current.gst === stored.gst &&
    current.category === stored.category &&
    current.period === stored.period
  )
    return 0
  const storedText =
    stored.total === null
      ? 'no amount'
      : `${formatPrice(stored.total, stored.currency)} as ${stored.category ?? 'no category'} in ${stored.period ?? 'no period'}`
  terminal.printError(
    `The stored price is ${storedText}, which differs from the price in the file.`,
  )
  return 1
}
