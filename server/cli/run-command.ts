/** `rollcall`: finds and runs the command, converts its result into an exit status. */
import type { Command, Status, Terminal } from './command.ts'
import { environment } from '../ops/environment.ts'
import { troubleOf } from '../storage/database/error-explanations.ts'

type Entry = {
  /** One line for the list of its group. */
  readonly summary: string
  /** Loaded on demand: `validate` needs no database, and `--help` needs nothing. */
  readonly load: () => Promise<Command>
  /** Words of the name that the command itself reads, counted from its end. */
  readonly ownWords?: number
}

const loadUser = async (): Promise<Command> => (await import('./users/users.ts')).admin
const user = (summary: string): Entry => ({ summary, load: loadUser, ownWords: 1 })
const validate: Entry = {
  summary: 'Check event files and list every finding with its line',
  load: async () => (await import('./event/validate.ts')).validate,
}
const newEvent: Entry = {
  summary: 'Write a first event file',
  load: async () => (await import('./event/new.ts')).creating,
}

/** Every command by the words that name it; the first word of two is its group. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  start: {
    summary: 'Serve the forms, the office and the sandbox gateway',
    load: async () => (await import('./start.ts')).start,
  },
  demo: {
    summary: 'Serve a temporary database of invented registrations',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
  doctor: {
    summary: 'Check everything that a server needs',
    load: async () => (await import('./doctor.ts')).doctoring,
  },
  health: {
    summary: 'Ask the running server for its state',
    load: async () => (await import('./health.ts')).asking,
  },
  build: {
    summary: 'Build the web app',
    load: async () => (await import('./build.ts')).build,
  },
  new: newEvent,
  validate,
  'event new': newEvent,
  'event validate': validate,
  'event explain': {
    summary: 'Explain why a delegate pays an amount',
    load: async () => (await import('./event/explain.ts')).explaining,
  },
  'event simulate': {
    summary: 'Print the whole price table, and who gets which category',
    load: async () => (await import('./event/simulate.ts')).simulating,
  },
  'event diff': {
    summary: 'Show what a new version of an event file changes',
    load: async () => (await import('./event/diff.ts')).diffing,
  },
  'event preview': {
    summary: 'Write still pages of the form, results, receipt and email',
    load: async () => (await import('./event/preview.ts')).previewing,
  },
  'event repeat': {
    summary: "Write next year's event file from this year's",
    load: async () => (await import('./event/repeat.ts')).repeating,
  },
  'event show': {
    summary: 'Print an event file with every default filled in',
    load: async () => (await import('./event/show.ts')).showing,
  },
  'event schema': {
    summary: 'Print the JSON Schema that an event file becomes',
    load: async () => (await import('./event/show.ts')).schema,
  },
  'event finding': {
    summary: 'Explain a finding of validate, with examples',
    load: async () => (await import('./event/finding-codes.ts')).codes,
  },
  'event discount-codes': {
    summary: 'List, create or withdraw the discount codes of an event',
    load: async () => (await import('./event/discount-codes.ts')).codesOf,
  },
  'event members': {
    summary: 'Replace a member list of an event from a CSV file',
    load: async () => (await import('./event/member-list.ts')).rolling,
  },
  'event reload': {
    summary: 'Make the running server read its event files again',
    load: async () => (await import('./event/reload.ts')).reloading,
  },
  'registration export': {
    summary: 'Print the registrations of an event as CSV',
    load: async () => (await import('./registrations/export.ts')).exporting,
  },
  'registration import': {
    summary: 'Import registrations from a CSV file',
    load: async () => (await import('./registrations/import.ts')).importing,
  },
  'registration export-person': {
    summary: 'Write everything about one person into a folder',
    load: async () => (await import('./registrations/personal-data.ts')).person,
  },
  'registration erase': {
    summary: "Erase a person's data; payments stay on record",
    load: async () => (await import('./registrations/personal-data.ts')).erasing,
  },
  'payment reviews': {
    summary: 'List the payments that need a decision',
    load: async () => (await import('./payments/reviews-and-refunds.ts')).reviewing,
  },
  'payment decide': {
    summary: 'Decide about one of them',
    load: async () => (await import('./payments/reviews-and-refunds.ts')).deciding,
  },
  'payment refund': {
    summary: 'Refund a payment, in full or in part',
    load: async () => (await import('./payments/reviews-and-refunds.ts')).refunding,
  },
  'payment reconcile': {
    summary: 'Check pending payments, or read a bank statement or settlement',
    load: async () => (await import('./payments/reconcile.ts')).reconcile,
  },
  'payment check-gateway': {
    summary: 'Test the connection to the gateway',
    load: async () => (await import('./payments/gateway-check.ts')).gatewayChecking,
  },
  'db backup': {
    summary: 'Copy all stored data into a folder while the server runs',
    load: async () => (await import('./database/backup.ts')).backingUp,
  },
  'db restore': {
    summary: 'Put a backup into a data folder',
    load: async () => (await import('./database/backup.ts')).restoring,
  },
  'db recovery': {
    summary: 'Show, begin or end the recovery after a restore',
    load: async () => (await import('./database/recovery.ts')).recovering,
  },
  'db migrate': {
    summary: 'Update the database while no server runs',
    load: async () => (await import('./database/migrate.ts')).migrating,
  },
  'db move': {
    summary: 'Move all data from SQLite to PostgreSQL, or back',
    load: async () => (await import('./database/move.ts')).moving,
  },
  'db clock': {
    summary: 'Show whether erasure waits for the clock; confirm the clock',
    load: async () => (await import('./database/confirm-clock.ts')).clocking,
  },
  'db unknown-files': {
    summary: 'Set aside uploads that no registration refers to',
    load: async () => (await import('./database/unreferenced-files.ts')).unknownFiles,
  },
  'user add': user('Add a user with a role'),
  'user list': user('List the users'),
  'user role': user("Change a user's role"),
  'user passwd': user("Change a user's password"),
  'user reset-second-factor': user('Remove a lost second factor'),
  'user remove': user('Remove a user'),
  'email retry': {
    summary: 'Send failed emails again',
    load: async () => (await import('./retry-emails.ts')).mailing,
  },
}

/** What `--help` says of each group. */
const GROUPS: Readonly<Record<string, string>> = {
  event: 'Event files',
  registration: 'Registrations',
  payment: 'Payments and refunds',
  db: 'The database and its copies',
  user: 'Users of the office',
  email: 'Emails',
}

/** Runs the command that `args` name, and returns its exit status. */
export async function main(
  args: readonly string[],
  terminal: Terminal = ownTerminal(),
): Promise<Status> {
  const [first, second] = args
  if (first === undefined) return wrong(terminal, usage())
  if (isHelp(first) || first === 'help') return print(terminal, usage())
  const found = findCommand(args)
  if (found === null) {
    if (!Object.hasOwn(GROUPS, first))
      return wrong(
        terminal,
        `There is no command "${first}".${await suggestion(first)}\n\n${usage()}`,
      )
    if (second === undefined) return wrong(terminal, groupUsage(first))
    if (isHelp(second)) return print(terminal, groupUsage(first))
    const name = `${first} ${second}`
    return wrong(
      terminal,
      `There is no command "${name}".${await suggestion(name)}\n\n${groupUsage(first)}`,
    )
  }
  try {
    const command = await found.entry.load()
    if (found.rest.some(isHelp)) return print(terminal, command.help)
    return await command.run(found.rest, terminal)
  } catch (error) {
    const trouble = troubleOf(error, dataDirOf(terminal))
    if (trouble !== null) {
      terminal.complain(trouble.text)
      // A unit tries again.
      return trouble.isTemporary && first === 'start' ? 75 : 2
    }
    terminal.complain(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return 3
  }
}

function findCommand(
  args: readonly string[],
): { readonly entry: Entry; readonly rest: readonly string[] } | null {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ')
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (entry !== undefined && args.length >= words)
      return { entry, rest: args.slice(words - (entry.ownWords ?? 0)) }
  }
  return null
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h'

function wrong(terminal: Terminal, text: string): Status {
  terminal.complain(text)
  return 2
}
function print(terminal: Terminal, text: string): Status {
  terminal.print(text)
  return 0
}

/** A command without its group (`backup`) is found by its last word. */
async function suggestion(asked: string): Promise<string> {
  const { findNearest: nearest } = await import('../../engine/authoring.ts')
  const names = Object.keys(COMMANDS)
  const word = asked.split(' ').at(-1) ?? asked
  const lastWords = names.map((name) => name.split(' ').at(-1) ?? name)
  const near = nearest(word, lastWords)?.name
  const meant =
    names.find((_, at) => lastWords[at] === word) ??
    nearest(asked, names)?.name ??
    names.find((_, at) => lastWords[at] === near)
  return meant === undefined ? '' : ` Did you mean "rollcall ${meant}"?`
}
/** The folder whose disk is checked: a command without an environment has no data there. */
function dataDirOf(terminal: Terminal): string {
  try {
    return terminal.environment()?.dataDir ?? '.'
  } catch {
    return '.'
  }
}

/** Of 80 columns, without the name of the group and a comma at the end. */
const NAMES_WIDTH = 62

/** Fits on one screen of 24 lines: groups are listed with the names of their commands. */
function usage(): string {
  const names = Object.keys(COMMANDS)
  const top = names
    .filter((name) => !name.includes(' '))
    .map((name) => `  ${name.padEnd(13)} ${COMMANDS[name]?.summary ?? ''}`)
  const groups = Object.keys(GROUPS).flatMap((group) => {
    const lines = wrapped(
      names.flatMap((name) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [])),
    )
    return lines.map((line, at) => `  ${(at === 0 ? group : '').padEnd(13)} ${line}`)
  })
  return [
    'Usage: rollcall <command> [options]',
    '',
    ...top,
    '',
    'Groups of commands:',
    ...groups,
    '',
    'rollcall <group> lists the commands of a group; rollcall <command> --help describes one.',
  ].join('\n')
}

/** Names separated by commas, in lines that leave room for the name of the group. */
function wrapped(names: readonly string[]): string[] {
  const lines: string[] = []
  for (const name of names) {
    const line = lines.at(-1)
    if (line === undefined || line.length + name.length + 2 > NAMES_WIDTH) lines.push(name)
    else lines[lines.length - 1] = `${line}, ${name}`
  }
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line},`))
}

function groupUsage(group: string): string {
  const names = Object.keys(COMMANDS).filter((name) => name.startsWith(`${group} `))
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${COMMANDS[name]?.summary ?? ''}`)
  return `${GROUPS[group] ?? ''}. Usage: rollcall ${group} <command> [options]\n\n${lines.join('\n')}\n\nrollcall ${group} <command> --help describes one.`
}

function ownTerminal(): Terminal {
  const complain = (text: string): void => void process.stderr.write(`${text}\n`)
  // Read once: a start sets NODE_ENV for its libraries, which no operator has to hear of.
  let read: ReturnType<typeof environment> | null = null
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    complain,
    environment: () => {
      const isFirst = read === null
      read ??= environment()
      if (read.ok) return read.value
      if (isFirst) for (const sentence of read.error) complain(sentence)
      return null
    },
  }
}
