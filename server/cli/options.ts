/** Parses a command's arguments strictly. An error is reported in one sentence, with exit status 2. */
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import type { Terminal } from './command.ts'

export type ParsedArguments<O extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; args: string[] }>
>

/**
 * Parses the arguments. On failure, prints the error and returns null. `counts` are the minimum and maximum number of
 * positional arguments.
 */
export function parseArguments<O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
  counts: readonly [number, number],
  help: string,
  terminal: Terminal,
): ParsedArguments<O> | null {
  const usage = help.split('\n\n')[0] ?? help
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true as const })
    const [min, max] = counts
    if (parsed.positionals.length >= min && parsed.positionals.length <= max) return parsed
    terminal.printError(
      parsed.positionals.length < min
        ? `An argument is missing.\n${usage}`
        : `Unexpected argument "${parsed.positionals[max]}".\n${usage}`,
    )
  } catch (error) {
    terminal.printError(
      `${error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)}.\n${usage}`,
    )
  }
  return null
}
