/** A stored event file whose payments get invoices. */
import type { Issuer } from '../../../engine/index.ts'
import { noon } from '../sample-registrations.ts'

export const FILE = { hash: 'hash-1', eventId: 'demo', text: '', shared: '', at: noon } as const
export const ISSUER: Issuer = {
  event: { id: 'demo', title: 'Demo', days: '', venue: '', support: '', colour: '' },
  roles: {},
  tax: { name: 'GST', percent: 18 },
  invoice: {
    supplier: 'Demo Society',
    address: 'Kochi',
    gstin: '32AAAAA0000A1Z5',
    sac: '999799',
    placeOfSupply: {},
    number: 'DEMO/{n}',
    creditNumber: 'DEMOC/{n}',
    buyer: { gstin: 'gst_number' },
  },
  states: {},
}
