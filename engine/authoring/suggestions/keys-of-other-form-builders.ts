/** Keys from other shop and form builders for items, quotas and discounts, with Rollcall's equivalents. */

const WHEN_SYNONYMS =
  'if only_if only_when when_if show_when show_if condition conditions for_whom applies_if applies_when who eligible'
const MESSAGE_SYNONYMS = 'message text error note notice warning full_message full_text sold_out'
const LABEL_SYNONYMS = 'title name text caption description desc details display'
const ID_SYNONYMS = 'key code slug identifier'

/** Has the same format as `KEY_SYNONYMS` (foreign-keys.ts): keyed by a block's path, our key < their keys. */
export const SALE_KEY_SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [
    /^fees\.items\.\d+$/,
    `
id < ${ID_SYNONYMS}
label < ${LABEL_SYNONYMS}
when < ${WHEN_SYNONYMS}
by < for field options per per_option each_option option option_of of choice choices
count < quantity qty number how_many people persons each_of per_person
times < nights days multiplied_by multiply x
prices < price fee fees cost costs rate rates tariff charge charges table price_table
amount_in < amount named_in open_amount pay_what_you_want donation
tax < gst vat taxes
!seats belong in quotas: write quotas: - {id: seats, each_option_of: workshops, max: 30, full: Full} < max limit
  seats capacity places stock available quota
`,
  ],
  [
    /^fees\.adjustments\.\d+$/,
    `
id < slug key identifier
label < ${LABEL_SYNONYMS}
when < ${WHEN_SYNONYMS}
amount < value off discount fixed flat rupees price
percent < percentage pct discount_percent percent_off
on < of applies_to target line lines item
from < start starts since valid_from begin begins
to < end ends until till valid_to upto up_to
!write when: {code: …}, with one of the code kinds < code coupon codes promo
`,
  ],
  [
    /^quotas\.\d+$/,
    `
id < ${ID_SYNONYMS} name label
each_option_of < by for field per options of per_option each_option each option_of
when < ${WHEN_SYNONYMS}
max < seats capacity places limit size count number quota total available stock places_max
full < ${MESSAGE_SYNONYMS} say when_full if_full
few < low left few_left remaining warn_at last_places
!write a condition for the registrations that it counts, such as when: {category: member} < category categories
`,
  ],
  [
    /^codes\.kinds\.\d+$/,
    `
id < key slug name identifier
label < title text caption description
gives < give then grants for category adjustment discount
!staff issue codes in the office, or with rollcall event discount-codes: remove this < codes list values code uses
`,
  ],
  [
    /^codes\.kinds\.\d+\.gives$/,
    `
adjustment < discount coupon percent amount off reduction adjustments
category < as type ticket free categories
`,
  ],
  [
    /^unique\.\d+$/,
    `
fields < field by on keys of
on_duplicate < then action otherwise if_taken on_repeat
message < say ${MESSAGE_SYNONYMS} full
`,
  ],
  [
    /^member_lists\.\w+$/,
    `
key < id by primary_key column
columns < fields names headers
shows < show display visible
!its rows are imported with rollcall event members, not written in the file: remove this < file path csv rows data
  members list source
`,
  ],
]
