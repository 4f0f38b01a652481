// Words that the documentation and the code do not use, each with its replacement. They belong to
// an idiom that readers would have to learn. `npm run lint` counts them: see check-words.mjs.

/**
 * Patterns match case-insensitively, in prose whose line ends are spaces.
 *
 * @type {{ pattern: RegExp, write: string }[]}
 */
export const idioms = [
  {
    pattern: /\b(?:some|no|any|every)body\b/,
    write: 'a role (user, client, caller, attacker), or "no" with a role',
  },
  {
    pattern: /\bwho(?:m|se)?ever\b|\bbe it\b/,
    write: 'the caller, the recipient, any client that',
  },
  { pattern: /\btold\b|\btell(?:s|ing)?\b/, write: 'report, return, notify, specify, distinguish' },
  { pattern: /\b(?:says?|said|saying)\b(?!,)/, write: 'specify, state, define, contain' },
  { pattern: /\bask(?:s|ed|ing)\b|\bask for\b/, write: 'request, require, prompt for, query' },
  { pattern: /\bbr(?:ings?|ought|inging)\b/, write: 'supply, submit, contain, include' },
  {
    pattern: /\bgone\b|\bforget(?:s|ting)\b|\bforgot(?:ten)?\b(?!-| (?:your |my |the )?password)/,
    write: 'deleted, expired, missing; delete, discard',
  },
  { pattern: /\b(?:dis)?believ(?:es?|ed|ing)\b/, write: 'accept, trust, verify' },
  { pattern: /\bg(?:ives?|ave|iven|iving) way\b/, write: 'be replaced, be released, yield' },
  {
    pattern: /\blet(?:s|ting)? (?:\w+ )?(?:in|through)\b|\bwelcom(?:es|ed|ing)\b/,
    write: 'accept, admit, allow, register',
  },
  {
    pattern: /\bdepart(?:s|ed|ing|ures?)?\b|\barrivals?\b/,
    write: 'redirect to the provider; callback',
  },
  {
    pattern: /\b(?:a|each|every|of|which|these|those|such) happenings?\b|\bhappenings\b/,
    write: 'event',
  },
  {
    pattern: /\b(?:rivals?|strangers?|newcomers?)\b/,
    write: 'competing request, other client, new user',
  },
  {
    pattern:
      /\b(?:(?:for|of|with|by|as|from|than) what|what (?:is|was|are|were|has|had|came|comes|stands|belongs|may|must|cannot))\b(?![^.!]{0,90}\?)/,
    write: 'the name of the value, error or row',
  },
  {
    pattern:
      /(?:^|[.:;,(] ?|\b(?:of|to|by|for|from|with|as|than|or|but|that|on|at|not|only|is) )who (?:is|was|has|had|holds?|asks?|knows?|may|can|comes?|came|signs?|proves?|calls?|makes?|made|owns?|does|gets?|sees?|only|cannot|never)\b(?![^.!]{0,90}\?)/,
    write: 'the caller, the requester, the owner',
  },
  {
    pattern:
      /\bthose (?:who|of (?:an?|the|one|its?|this|that|another|others|whose))\b|\bwhose (?:it|they) (?:is|are|was|were|may)\b|\bof one (?:that|whose|who)\b/,
    write: 'users that, rows that; the owner',
  },
  {
    pattern:
      /\banew\b|\bsave (?:for|that|in|where|when|by) (?!later)|\bma(?:k(?:e|es|ing)|de) void\b/,
    write: 'again; except; revoke',
  },
  {
    pattern:
      /\b(?:is|are|was|were|takes?) (?:\w+ ){0,4}no more\b(?! than)|\bnothing of (?:it|them|that|which|the)\b|\bknows? (?:nothing|no)\b/,
    write: 'no longer; none of; does not depend on',
  },
].map(({ pattern, write }) => ({ pattern: new RegExp(pattern, 'gi'), write }))

/**
 * A doc comment that begins with a clause. It begins with a noun phrase or a verb in the third
 * person.
 */
export const clauseOpening = /^(?:what|whatever|who|whose|whoever|of|those|that which)\b/i
