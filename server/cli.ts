/** `rollcall`: finds the command, and turns what it says into an exit status. */
import type { Command, Status, Terminal } from './commands/command.ts'
import { environment } from './machine/environment.ts'
import { troubleOf } from './store/trouble.ts'

/** Loaded when asked for: `validate` needs no database, and `--help` needs nothing. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).start,
  health: async () => (await import('./commands/health.ts')).asking,
  doctor: async () => (await import('./commands/doctor.ts')).doctoring,
  backup: async () => (await import('./commands/backup.ts')).backingUp,
  restore: async () => (await import('./commands/backup.ts')).restoring,
  recovery: async () => (await import('./commands/recovery.ts')).recovering,
  migrate: async () => (await import('./commands/migrate.ts')).migrating,
  move: async () => (await import('./commands/move.ts')).moving,
  reload: async () => (await import('./commands/reload.ts')).reloading,
  mail: async () => (await import('./commands/mail.ts')).mailing,
  clock: async () => (await import('./commands/clock.ts')).clocking,
  'unknown-files': async () => (await import('./commands/unknown-files.ts')).unknownFiles,
  build: async () => (await import('./commands/build.ts')).build,
  validate: async () => (await import('./commands/validate.ts')).validate,
  new: async () => (await import('./commands/new.ts')).creating,
  repeat: async () => (await import('./commands/repeat.ts')).repeating,
  preview: async () => (await import('./commands/preview.ts')).previewing,
  explain: async () => (await import('./commands/explain.ts')).explaining,
  simulate: async () => (await import('./commands/simulate.ts')).simulating,
  diff: async () => (await import('./commands/diff.ts')).diffing,
  codes: async () => (await import('./commands/codes.ts')).codes,
  show: async () => (await import('./commands/show.ts')).showing,
  schema: async () => (await import('./commands/show.ts')).schema,
  admin: async () => (await import('./commands/admin.ts')).admin,
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcile,
  reviews: async () => (await import('./commands/reviews.ts')).reviewing,
  decide: async () => (await import('./commands/reviews.ts')).deciding,
  refund: async () => (await import('./commands/reviews.ts')).refunding,
  'gateway-check': async () => (await import('./commands/gateway-check.ts')).gatewayChecking,
  demo: async () => (await import('./commands/demo.ts')).demo,
  'codes-of': async () => (await import('./commands/codes-of.ts')).codesOf,
  roll: async () => (await import('./commands/roll.ts')).rolling,
  export: async () => (await import('./commands/export.ts')).exporting,
  person: async () => (await import('./commands/person.ts')).person,
  erase: async () => (await import('./commands/person.ts')).erasing,
  import: async () => (await import('./commands/import.ts')).importing,
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

/** Where the disk is looked at: a command that reads no environment has no data there. */
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
