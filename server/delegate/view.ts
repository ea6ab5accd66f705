/** All that a delegate's own page shows of a registration. */
import { isoIndia, rupees } from '../../engine/index.ts'
import type { MyAnswer } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import type { Linked } from '../registering/own-link.ts'
import { registrationView } from '../registering/view.ts'

export async function myAnswer(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { served: { config }, registration }: Linked,
): Promise<MyAnswer> {
  const at = clock()
  const documents = await store.documents(registration.regNo)
  return {
    status: 'success',
    registration: registrationView(config, registration, at),
    state: registration.state,
    documents: documents.map(({ id, kind, serial, at: issuedAt, total }) => ({
      id,
      kind,
      serial,
      at: isoIndia(issuedAt),
      total: rupees(total),
    })),
  }
}
