/** Checks EV485 to EV489: editable fields do not affect prices or approvals, and retention periods are in order. */
import { findPriceFields } from '../../tools/price-fields.ts'
import { formatDay } from '../../../lib/time.ts'
import { findRelevantFields } from '../../proofs/fields-in-conditions.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'

type EditableField = { readonly id: string; readonly at: string; readonly label: string }

/** Returns the editable fields that exist. Another check reports unknown names. */
function listEditableFields({ file, fields }: Model): readonly EditableField[] {
  return (file.edit?.fields ?? []).flatMap((id, index) => {
    const editableField = fields.find((field) => field.id === id)
    return editableField === undefined
      ? []
      : [{ id, at: `edit.fields.${index}`, label: editableField.field.label }]
  })
}

/** Creates a function that returns the reason why delegates may not edit a field, or null if they may. */
function createRestrictionExplainer({ config }: Model): (id: string) => string | null {
  const priceFieldIds = new Set(findPriceFields(config).map(({ id }) => id))
  const approvalFieldIds = findRelevantFields(
    config,
    config.approvals.map(({ when }) => when),
    config.approvals.flatMap(({ documents }) => documents),
  )
  const { invoice } = config
  return (id) => {
    if (priceFieldIds.has(id)) return 'the answer affects the category, a price or a quota'
    if (config.unique.some(({ fields }) => fields.includes(id))) return 'the answer must be unique'
    if (approvalFieldIds.has(id))
      return 'staff check the answer before they approve the registration'
    return invoice !== null && JSON.stringify(invoice).includes(`"${id}"`)
      ? 'the answer is printed on the invoice'
      : null
  }
}

const editableFieldSetsPriceCheck: Check = {
  slug: 'editable-field-sets-price',
  severity: 'error',
  why: 'A delegate who corrects one of these answers could change a price, use a seat or create a duplicate without a check by staff.',
  after: ['EV201'],
  find: (model) => {
    const explainRestriction = createRestrictionExplainer(model)
    return listEditableFields(model).flatMap(({ id, at, label }): Draft[] => {
      const restriction = explainRestriction(id)
      return restriction === null
        ? []
        : [
            {
              at,
              message: `delegates may not change “${label}” themselves: ${restriction}`,
              help: `remove \`${id}\` from \`edit.fields\`; staff can correct this answer and its consequences`,
            },
          ]
    })
  },
}

const editEmailCheck: Check = {
  slug: 'edit-email',
  severity: 'error',
  why: 'Access links are sent to this email address. Anyone with an access link could change the address and take over the registration.',
  after: ['EV201'],
  find: (model) =>
    listEditableFields(model)
      .filter(({ id }) => id === model.config.roles.email)
      .map(({ id, at, label }) => ({
        at,
        message: `“${label}” is the address for access links`,
        help: `remove \`${id}\` from \`edit.fields\`; staff can correct this answer`,
      })),
}

const editNameCheck: Check = {
  slug: 'edit-name',
  severity: 'warning',
  why: 'A delegate who can change the name can transfer the registration without staff. A proper transfer sends an email to both people.',
  after: ['EV201'],
  find: (model) =>
    listEditableFields(model)
      .filter(({ id }) => id === model.config.roles.fullName)
      .map(({ id, at, label }) => ({
        at,
        message: `a delegate who can change “${label}” can transfer the registration to another person`,
        help: `remove \`${id}\` from \`edit.fields\`, or accept the finding under \`allow\``,
      })),
}

const editAfterEventCheck: Check = {
  slug: 'edit-after-event',
  severity: 'error',
  why: 'Corrections after the event have no effect.',
  find: ({ file, config }) =>
    config.edit === null || config.edit.until <= config.to || file.edit === undefined
      ? []
      : [
          {
            at: 'edit.until',
            message: `the event has ended by this date; its last day is ${formatDay(config.to)}`,
            related: [{ at: 'event.to', message: 'the last day' }],
            help: 'write a date before the event, such as the date on which badges are printed',
          },
        ],
}

const retentionFilesLongerCheck: Check = {
  slug: 'retention-files-longer',
  severity: 'error',
  why: 'Files are deleted together with the answers, so a longer retention for files has no effect.',
  find: ({ config: { retention } }) =>
    retention.answers === null || retention.files === null || retention.files <= retention.answers
      ? []
      : [
          {
            at: 'retention.files',
            message: `the files would be kept until ${formatDay(retention.files)}, but the answers are deleted on ${formatDay(retention.answers)}`,
            related: [{ at: 'retention.answers', message: 'the answers' }],
            help: 'keep files no longer than the answers',
          },
        ],
}

export const selfServiceChecks = {
  EV485: editableFieldSetsPriceCheck,
  EV486: editEmailCheck,
  EV487: editNameCheck,
  EV488: editAfterEventCheck,
  EV489: retentionFilesLongerCheck,
}
