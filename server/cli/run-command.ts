/** `rollcall`: finds and runs a command, and converts errors into an exit status. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Command, Status, Terminal } from './command.ts'
import { loadEnvironment, readEventsDir } from '../ops/environment.ts'
import { explainMachineProblem } from '../storage/database/error-explanations.ts'

type CommandEntry = {
  /** One line, for the help text of its group. */
  readonly summary: string
  /** Loaded on demand: `validate` needs no database, and `--help` needs nothing. */
  readonly load: () => Promise<Command>
  /** The number of words at the end of the name that the command parses itself, as its first arguments. */
  readonly argumentWords?: number
}

const loadUser = async (): Promise<Command> => (await import('./users/users.ts')).userCommand
const buildUserEntry = (summary: string): CommandEntry => ({
  summary,
  load: loadUser,
  argumentWords: 1,
})
const validateEntry: CommandEntry = {
  summary: 'Check event files and list every finding with its line',
  load: async () => (await import('./event/validate.ts')).validateCommand,
}
const newEventEntry: CommandEntry = {
  summary: 'Write a first event file',
  load: async () => (await import('./event/new.ts')).newCommand,
}

/** All commands by name. The first word of a name with two words is the group. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  start: {
    summary: 'Serve the forms, the office and the sandbox gateway',
    load: async () => (await import('./start.ts')).startCommand,
  },
  demo: {
    summary: 'Serve a temporary database of invented registrations',
    load: async () => (await import('./demo/demo.ts')).demoCommand,
  },
  doctor: {
    summary: 'Check everything that a server needs',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  health: {
    summary: 'Query the state of the running server',
    load: async () => (await import('./health.ts')).healthCommand,
  },
  build: {
    summary: 'Build the web app',
    load: async () => (await import('./build.ts')).buildCommand,
  },
  new: newEventEntry,
  validate: validateEntry,
  'event new': newEventEntry,
  'event validate': validateEntry,
  'event explain': {
    summary: 'Explain why a delegate pays an amount',
    load: async () => (await import('./event/explain.ts')).explainCommand,
  },
  'event rehearse': {
    summary: 'Run the event under a test clock and print what happens each day',
    load: async () => (await import('./event/rehearse.ts')).rehearseCommand,
  },
  'event simulate': {
    summary: 'Print the whole price table, and who gets which category',
    load: async () => (await import('./event/simulate.ts')).simulateCommand,
  },
  'event diff': {
    summary: 'Show what a new version of an event file changes',
    load: async () => (await import('./event/diff.ts')).diffCommand,
  },
  'event preview': {
    summary: 'Write static pages for the form, results, receipt and email',
    load: async () => (await import('./event/preview.ts')).previewCommand,
  },
  'event repeat': {
    summary: "Write next year's event file from this year's",
    load: async () => (await import('./event/repeat.ts')).repeatCommand,
  },
  'event show': {
    summary: 'Print an event file with every default filled in',
    load: async () => (await import('./event/show.ts')).showCommand,
  },
  'event schema': {
    summary: 'Print the JSON Schema that an event file compiles to',
    load: async () => (await import('./event/show.ts')).schemaCommand,
  },
  'event finding': {
    summary: 'Explain a finding of validate, with examples',
    load: async () => (await import('./event/finding-codes.ts')).findingCommand,
  },
  'event discount-codes': {
    summary: 'List, create or withdraw the discount codes of an event',
    load: async () => (await import('./event/discount-codes.ts')).discountCodesCommand,
  },
  'event members': {
    summary: 'Replace a member list of an event from a CSV file',
    load: async () => (await import('./event/member-list.ts')).membersCommand,
  },
  'event reload': {
    summary: 'Make the running server read its event files again',
    load: async () => (await import('./event/reload.ts')).reloadCommand,
  },
  'registration export': {
    summary: 'Print the registrations of an event as CSV',
    load: async () => (await import('./registrations/export.ts')).exportCommand,
  },
  'registration import': {
    summary: 'Import registrations from a CSV file',
    load: async () => (await import('./registrations/import.ts')).importCommand,
  },
  'registration export-person': {
    summary: 'Write everything about one person into a folder',
    load: async () => (await import('./registrations/personal-data.ts')).exportPersonCommand,
  },
  'registration erase': {
    summary: "Erase a person's data; payments stay on record",
    load: async () => (await import('./registrations/personal-data.ts')).eraseCommand,
  },
  'payment reviews': {
    summary: 'List the payments that need review',
    load: async () => (await import('./payments/reviews-and-refunds.ts')).reviewsCommand,
  },
  'payment decide': {
    summary: 'Decide a payment review',
    load: async () => (await import('./payments/reviews-and-refunds.ts')).decideCommand,
  },
  'payment refund': {
    summary: 'Refund a payment through the gateway, in full or in part',
    load: async () => (await import('./payments/reviews-and-refunds.ts')).refundCommand,
  },
  'payment reconcile': {
    summary: 'Check pending payments, or read a bank statement or settlement',
    load: async () => (await import('./payments/reconcile.ts')).reconcileCommand,
  },
  'payment check-gateway': {
    summary: 'Test the connection to the gateway',
    load: async () => (await import('./payments/gateway-check.ts')).checkGatewayCommand,
  },
  'payment settlement': {
    summary: 'Print the settlements of a merchant account as CSV',
    load: async () => (await import('./payments/settlement.ts')).settlementCommand,
  },
  'db backup': {
    summary: 'Copy all stored data into a folder while the server runs',
    load: async () => (await import('./database/backup.ts')).backupCommand,
  },
  'db restore': {
    summary: 'Restore a backup into a data folder',
    load: async () => (await import('./database/backup.ts')).restoreCommand,
  },
  'db recovery': {
    summary: 'Show, begin or end the recovery after a restore',
    load: async () => (await import('./database/recovery.ts')).recoveryCommand,
  },
  'db migrate': {
    summary: 'Update the database while no server runs',
    load: async () => (await import('./database/migrate.ts')).migrateCommand,
  },
  'db move': {
    summary: 'Move all data from SQLite to PostgreSQL, or back',
    load: async () => (await import('./database/move.ts')).moveCommand,
  },
  'db clock': {
    summary: 'Show whether the clock pauses erasure; confirm the clock',
    load: async () => (await import('./database/confirm-clock.ts')).clockCommand,
  },
  'db unknown-files': {
    summary: 'Set aside uploads that no registration refers to',
    load: async () => (await import('./database/unreferenced-files.ts')).unknownFilesCommand,
  },
  'user add': buildUserEntry('Add a user with a role'),
  'user list': buildUserEntry('List the users'),
  'user role': buildUserEntry("Change a user's role"),
  'user passwd': buildUserEntry("Change a user's password"),
  'user reset-second-factor': buildUserEntry('Remove a lost second factor'),
  'user remove': buildUserEntry('Remove a user'),
  'email retry': {
    summary: 'Send failed emails again',
    load: async () => (await import('./retry-emails.ts')).retryEmailsCommand,
  },
}

/** The headings of the groups in `--help`. */
const GROUPS: Readonly<Record<string, string>> = {
  event: 'Event files',
  registration: 'Registrations',
  payment: 'Payments and refunds',
  db: 'The database and its copies',
  user: 'Users of the office',
  email: 'Emails',
}

/** Runs the command that `args` specify, and returns its exit status. */
export async function main(
  args: readonly string[],
  terminal: Terminal = createTerminal(),
): Promise<Status> {
  const [first, second] = args
  if (first === undefined) return failUsage(terminal, buildUsage())
  if (isHelp(first) || first === 'help') return printText(terminal, buildUsage())
  if (first === '--version') return printText(terminal, await readVersionText())
  const match = findCommand(args)
  if (match === null) {
    if (!Object.hasOwn(GROUPS, first))
      return failUsage(
        terminal,
        `Unknown command "${first}".${await suggestCommand(first)}\n\n${buildUsage()}`,
      )
    if (second === undefined) return failUsage(terminal, buildGroupUsage(first))
    if (isHelp(second)) return printText(terminal, buildGroupUsage(first))
    const name = `${first} ${second}`
    return failUsage(
      terminal,
      `Unknown command "${name}".${await suggestCommand(name)}\n\n${buildGroupUsage(first)}`,
    )
  }
  try {
    const command = await match.entry.load()
    if (match.remainingArgs.some(isHelp)) return printText(terminal, command.help)
    return await command.run(match.remainingArgs, terminal)
  } catch (error) {
    const problem = explainMachineProblem(error, getDataDir(terminal))
    if (problem !== null) {
      terminal.printError(problem.text)
      // Systemd restarts the unit after this status.
      return problem.isTemporary && first === 'start' ? 75 : 2
    }
    terminal.printError(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return 3
  }
}

function findCommand(
  args: readonly string[],
): { readonly entry: CommandEntry; readonly remainingArgs: readonly string[] } | null {
  for (const wordCount of [2, 1]) {
    const name = args.slice(0, wordCount).join(' ')
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (entry !== undefined && args.length >= wordCount)
      return { entry, remainingArgs: args.slice(wordCount - (entry.argumentWords ?? 0)) }
  }
  return null
}

/** Returns the versions of Rollcall and Node, for a bug report. */
async function readVersionText(): Promise<string> {
  const manifest = path.join(import.meta.dirname, '..', '..', 'package.json')
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string }
  return `Rollcall ${version}, Node ${process.versions.node}`
}

const isHelp = (argument: string): boolean => argument === '--help' || argument === '-h'

function failUsage(terminal: Terminal, text: string): Status {
  terminal.printError(text)
  return 2
}
function printText(terminal: Terminal, text: string): Status {
  terminal.print(text)
  return 0
}

/** Suggests a similar command, including a command that was typed without its group (`backup`). */
async function suggestCommand(name: string): Promise<string> {
  const { findNearest } = await import('../../engine/authoring.ts')
  const names = Object.keys(COMMANDS)
  const lastWord = name.split(' ').at(-1) ?? name
  const lastWords = names.map((name) => name.split(' ').at(-1) ?? name)
  const nearestWord = findNearest(lastWord, lastWords)?.name
  const suggestion =
    names.find((_, index) => lastWords[index] === lastWord) ??
    // Most letters in a full name belong to its group, so any short word would seem similar.
    (name.includes(' ') ? undefined : findNearest(name, names)?.name) ??
    names.find((_, index) => lastWords[index] === nearestWord)
  return suggestion === undefined ? '' : ` Did you mean "rollcall ${suggestion}"?`
}
/** Returns the folder whose disk is checked: the current folder for a command without a valid environment. */
function getDataDir(terminal: Terminal): string {
  try {
    return terminal.environment()?.dataDir ?? '.'
  } catch {
    return '.'
  }
}

/** 80 columns, less the width of the group's name and of a comma at the end. */
const NAMES_WIDTH = 62

/** Builds the help text. It fits on a screen of 24 lines, because each group lists only the names of its commands. */
function buildUsage(): string {
  const names = Object.keys(COMMANDS)
  const topLevelLines = names
    .filter((name) => !name.includes(' '))
    .map((name) => `  ${name.padEnd(13)} ${COMMANDS[name]?.summary ?? ''}`)
  const groupLines = Object.keys(GROUPS).flatMap((group) => {
    const lines = wrapNames(
      names.flatMap((name) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [])),
    )
    return lines.map((line, index) => `  ${(index === 0 ? group : '').padEnd(13)} ${line}`)
  })
  return [
    'Usage: rollcall <command> [options]',
    '',
    ...topLevelLines,
    '',
    'Groups of commands:',
    ...groupLines,
    '',
    'rollcall <group> lists the commands of a group; rollcall <command> --help describes one.',
  ].join('\n')
}

/** Wraps names, separated by commas, into lines that leave room for the name of the group. */
function wrapNames(names: readonly string[]): string[] {
  const lines: string[] = []
  for (const name of names) {
    const line = lines.at(-1)
    if (line === undefined || line.length + name.length + 2 > NAMES_WIDTH) lines.push(name)
    else lines[lines.length - 1] = `${line}, ${name}`
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line},`))
}

function buildGroupUsage(group: string): string {
  const names = Object.keys(COMMANDS).filter((name) => name.startsWith(`${group} `))
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${COMMANDS[name]?.summary ?? ''}`)
  return `${GROUPS[group] ?? ''}. Usage: rollcall ${group} <command> [options]\n\n${lines.join('\n')}\n\nrollcall ${group} <command> --help describes one.`
}

function createTerminal(): Terminal {
  const printError = (text: string): void => void process.stderr.write(`${text}\n`)
  // The environment is read once, because the server later sets NODE_ENV for its libraries.
  let result: ReturnType<typeof loadEnvironment> | null = null
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    printError,
    progressStream: process.stderr,
    eventsDir: readEventsDir(),
    environment: () => {
      const isFirst = result === null
      result ??= loadEnvironment()
      if (result.ok) return result.value
      if (isFirst) for (const sentence of result.error) printError(sentence)
      return null
    },
  }
}
