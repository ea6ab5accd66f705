/** Parses the options of a command strictly; each mistake is one sentence and exit status 2. */
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import type { Terminal } from './command.ts'

export type Given<O extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; args: string[] }>
>

/** Null after printing what is wrong. `words`: the minimum and maximum number of arguments besides the options. */
export function readArguments<O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
  words: readonly [number, number],
  help: string,
  terminal: Terminal,
): Given<O> | null {
  const usage = help.split('\n\n')[0] ?? help
  try {
    const given = parseArgs({ args: [...args], options, allowPositionals: true as const })
    const [least, most] = words
    if (given.positionals.length >= least && given.positionals.length <= most) return given
    terminal.complain(
      given.positionals.length < least
        ? `Something is missing.\n${usage}`
        : `"${given.positionals[most]}" is one word too many.\n${usage}`,
    )
  } catch (error) {
    terminal.complain(
      `${error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)}.\n${usage}`,
    )
  }
  return null
}
