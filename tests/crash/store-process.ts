/** A child process that registers delegates, and prints the acknowledged registration numbers. */
import { openSqliteStore } from '../../server/storage/open-store.ts'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { buildRegistration } from '../server/sample-registrations.ts'
import { printNow } from './print-now.ts'

// Arguments: data folder, clients, registrations per client, and fault options of the store. Prints each number in one
// system call.
const [, , dataDir = '', clients = '1', countPerClient = '1', faults = '{}'] = process.argv
const { store } = await openSqliteStore({ dataDir, faults: JSON.parse(faults) as InjectedFaults })
printNow('READY')
await Promise.all(
  Array.from({ length: Number(clients) }, async () => {
    for (let index = 0; index < Number(countPerClient); index += 1) {
      const registration = buildRegistration()
      const answer = await store.register(registration)
      if (answer.ok) printNow(`ACK ${registration.regNo}`)
    }
  }),
)
await store.close()
