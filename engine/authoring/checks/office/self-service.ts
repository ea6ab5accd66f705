/** Checks EV485 to EV489: editable fields affect no decision, and retention periods are in order. */
import { fieldsOfPrice } from '../../tools/price-fields.ts'
import { formatDay } from '../../../lib/time.ts'
import { fieldsBehind } from '../../proofs/answer-axes.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'

type Editable = { readonly id: string; readonly at: string; readonly label: string }

/** Returns the existing ones; unknown names are reported elsewhere. */
function editables({ file, fields }: Model): readonly Editable[] {
  return (file.edit?.fields ?? []).flatMap((id, index) => {
    const known = fields.find((one) => one.id === id)
    return known === undefined ? [] : [{ id, at: `edit.fields.${index}`, label: known.field.label }]
  })
}

/** Returns a description of what reads a field; null: nothing that would forbid changes. */
function readerOf({ config }: Model): (id: string) => string | null {
  const ofPrice = new Set(fieldsOfPrice(config).map(({ id }) => id))
  const ofApproval = fieldsBehind(
    config,
    config.approvals.map(({ when }) => when),
    config.approvals.flatMap(({ documents }) => documents),
  )
  const { invoice } = config
  return (id) => {
    if (ofPrice.has(id)) return 'the category, a price or a limit reads it'
    if (config.unique.some(({ fields }) => fields.includes(id))) return 'it must stand once'
    if (ofApproval.has(id)) return 'it is looked at before the registration is approved'
    return invoice !== null && JSON.stringify(invoice).includes(`"${id}"`)
      ? 'the invoice states it'
      : null
  }
}

const editDecides: Check = {
  slug: 'edit-decides',
  severity: 'error',
  why: 'A delegate who changes such an answer on their own page would change a price, take a place or stand twice without anybody judging it.',
  after: ['EV201'],
  find: (model) => {
    const reader = readerOf(model)
    return editables(model).flatMap(({ id, at, label }): Draft[] => {
      const why = reader(id)
      return why === null
        ? []
        : [
            {
              at,
              message: `delegates may not change “${label}” themselves: ${why}`,
              help: 'take it out; the office corrects it, and what follows from it',
            },
          ]
    })
  },
}

const editEmail: Check = {
  slug: 'edit-email',
  severity: 'error',
  why: 'Links to a registration go to its email address: whoever got hold of one link could keep the registration for good.',
  after: ['EV201'],
  find: (model) =>
    editables(model)
      .filter(({ id }) => id === model.config.roles.email)
      .map(({ at, label }) => ({
        at,
        message: `“${label}” is where the links of a registration are sent`,
        help: 'take it out; the office corrects it',
      })),
}

const editName: Check = {
  slug: 'edit-name',
  severity: 'warning',
  why: 'Whoever may change the name hands the registration on without the office, which a transfer does with a mail to both.',
  after: ['EV201'],
  find: (model) =>
    editables(model)
      .filter(({ id }) => id === model.config.roles.fullName)
      .map(({ at, label }) => ({
        at,
        message: `who may change “${label}” can hand the registration to somebody else`,
        help: 'take it out, or say under `allow` that it is meant',
      })),
}

const editAfterEvent: Check = {
  slug: 'edit-after-event',
  severity: 'error',
  why: 'What is changed when the event is over reaches nobody.',
  find: ({ file, config }) =>
    config.edit === null || config.edit.until <= config.to || file.edit === undefined
      ? []
      : [
          {
            at: 'edit.until',
            message: `the event is over by then: its last day is ${formatDay(config.to)}`,
            related: [{ at: 'event.to', message: 'the last day' }],
            help: 'write the day on which the badges are printed',
          },
        ],
}

const filesOutlive: Check = {
  slug: 'keep-files-longer',
  severity: 'error',
  why: 'When the answers are erased the files go with them: a longer time for files keeps nothing.',
  find: ({ config: { retention } }) =>
    retention.answers === null || retention.files === null || retention.files <= retention.answers
      ? []
      : [
          {
            at: 'retention.files',
            message: `the files would be kept until ${formatDay(retention.files)}, but the answers go on ${formatDay(retention.answers)}`,
            related: [{ at: 'retention.answers', message: 'the answers' }],
            help: 'keep files as long as the answers, or less',
          },
        ],
}

export const ownPage = {
  EV485: editDecides,
  EV486: editEmail,
  EV487: editName,
  EV488: editAfterEvent,
  EV489: filesOutlive,
}
