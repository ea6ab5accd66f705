/**
 * A process of its own that registers and says which registrations the store has acknowledged, each
 * in one system call. Arguments: data folder, clients, registrations per client, the store's seam.
 */
import { openInside } from '../../server/storage/open-store.ts'
import type { InjectedFaults } from '../../server/storage/database/fault-injection.ts'
import { newRegistration } from '../server/sample-registrations.ts'
import { say } from './print-now.ts'

const [, , dataDir = '', clients = '1', each = '1', seam = '{}'] = process.argv
const { store } = await openInside({ dataDir, seam: JSON.parse(seam) as InjectedFaults })
say('READY')
await Promise.all(
  Array.from({ length: Number(clients) }, async () => {
    for (let at = 0; at < Number(each); at += 1) {
      const registration = newRegistration()
      const answer = await store.register(registration)
      if (answer.ok) say(`ACK ${registration.regNo}`)
    }
  }),
)
await store.close()
