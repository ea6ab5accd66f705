/** `rollcall`: finds and runs the command, and converts its result into an exit status. */
import type { Command, Status, Terminal } from './command.ts'
import { environment } from '../ops/environment.ts'
import { troubleOf } from '../storage/database/error-explanations.ts'

/** Loaded on demand: `validate` needs no database, and `--help` needs nothing. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  health: async () => (await import('./health.ts')).asking,
  doctor: async () => (await import('./doctor.ts')).doctoring,
  backup: async () => (await import('./database/backup.ts')).backingUp,
  restore: async () => (await import('./database/backup.ts')).restoring,
  recovery: async () => (await import('./database/recovery.ts')).recovering,
  migrate: async () => (await import('./database/migrate.ts')).migrating,
  move: async () => (await import('./database/move.ts')).moving,
  reload: async () => (await import('./event/reload.ts')).reloading,
  mail: async () => (await import('./retry-emails.ts')).mailing,
  clock: async () => (await import('./database/confirm-clock.ts')).clocking,
  'unknown-files': async () => (await import('./database/unreferenced-files.ts')).unknownFiles,
  build: async () => (await import('./build.ts')).build,
  validate: async () => (await import('./event/validate.ts')).validate,
  new: async () => (await import('./event/new.ts')).creating,
  repeat: async () => (await import('./event/repeat.ts')).repeating,
  preview: async () => (await import('./event/preview.ts')).previewing,
  explain: async () => (await import('./event/explain.ts')).explaining,
  simulate: async () => (await import('./event/simulate.ts')).simulating,
  diff: async () => (await import('./event/diff.ts')).diffing,
  codes: async () => (await import('./event/finding-codes.ts')).codes,
  show: async () => (await import('./event/show.ts')).showing,
  schema: async () => (await import('./event/show.ts')).schema,
  admin: async () => (await import('./users/users.ts')).admin,
  reconcile: async () => (await import('./payments/reconcile.ts')).reconcile,
  reviews: async () => (await import('./payments/reviews-and-refunds.ts')).reviewing,
  decide: async () => (await import('./payments/reviews-and-refunds.ts')).deciding,
  refund: async () => (await import('./payments/reviews-and-refunds.ts')).refunding,
  'gateway-check': async () => (await import('./payments/gateway-check.ts')).gatewayChecking,
  demo: async () => (await import('./demo/demo.ts')).demo,
  'codes-of': async () => (await import('./event/discount-codes.ts')).codesOf,
  roll: async () => (await import('./event/member-list.ts')).rolling,
  export: async () => (await import('./registrations/export.ts')).exporting,
  person: async () => (await import('./registrations/personal-data.ts')).person,
  erase: async () => (await import('./registrations/personal-data.ts')).erasing,
  import: async () => (await import('./registrations/import.ts')).importing,
}

export async function main(
  args: readonly string[],
  terminal: Terminal = ownTerminal(),
): Promise<Status> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const text = await usage()
    if (name === undefined) terminal.complain(text)
    else terminal.print(text)
    return name === undefined ? 2 : 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) {
    terminal.complain(`There is no command "${name}".\n\n${await usage()}`)
    return 2
  }
  const command = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.print(command.help)
    return 0
  }
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    const trouble = troubleOf(error, dataDirOf(terminal))
    if (trouble !== null) {
      terminal.complain(trouble.text)
      return 2
    }
    terminal.complain(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return 3
  }
}

/** The folder whose disk is checked: a command without an environment has no data there. */
function dataDirOf(terminal: Terminal): string {
  try {
    return terminal.environment()?.dataDir ?? '.'
  } catch {
    return '.'
  }
}

async function usage(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(commands).map(
      async ([name, load]) => `  ${name.padEnd(13)} ${(await load()).summary}`,
    ),
  )
  return `Usage: rollcall <command> [options]\n\nCommands:\n${lines.join('\n')}\n\nrollcall <command> --help says more.`
}

function ownTerminal(): Terminal {
  const complain = (text: string): void => void process.stderr.write(`${text}\n`)
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    complain,
    environment: () => {
      const read = environment()
      if (read.ok) return read.value
      for (const sentence of read.error) complain(sentence)
      return null
    },
  }
}
