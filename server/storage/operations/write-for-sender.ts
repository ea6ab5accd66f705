/** Passes the sender of a request with each write, whose transaction checks the sender's permissions again. */
import { LostPermissionError } from '../staff/lost-permission-error.ts'
import type { LostPermission, StaffSender } from '../staff/staff-types.ts'
import type { Call, writes } from './writes.ts'

type Write = Call<typeof writes>

/** Returns a `write` that stores nothing and throws LostPermissionError if the sender has lost their permissions. */
export function writeForSender(write: Write, sender: StaffSender): Write {
  return (async (verb: string, ...args: readonly unknown[]) => {
    const result = await write('runForSender', sender, verb, args)
    if (isLostPermission(result)) throw new LostPermissionError(result)
    return result
  }) as Write
}

const isLostPermission = (result: unknown): result is LostPermission =>
  typeof result === 'object' && result !== null && 'lostPermission' in result
