/** Runs in a child process: registers delegates, and prints the acknowledged registration numbers. */
import { openSqliteStore } from '../../server/storage/open-store.ts'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { buildRegistration } from '../server/sample-registrations.ts'
import { printNow } from './print-now.ts'

// Arguments: the data folder, the number of clients, the registrations per client, and the store's fault options.
// Prints each number in one system call.
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
