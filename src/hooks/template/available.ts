// The tags and filters of Liquid that a template may use. The lists name what is allowed, so that what a new version
// of LiquidJS adds stays unavailable until it is listed.

/** Without the tags that read files, and those that output values without `{{ … }}`. */
export const availableTags: readonly string[] = [
  "assign",
  "capture",
  "case",
  "comment",
  "for",
  "break",
  "continue",
  "if",
  "unless",
  "raw",
  "#",
];

/** Without `raw`, the filters that evaluate a string as an expression, and `sample`, which is random. */
export const availableFilters: readonly string[] = [
  "escape xml_escape escape_once newline_to_br strip_html",
  "abs at_least at_most ceil divided_by floor minus modulo plus round times",
  "url_decode url_encode cgi_escape uri_escape slugify",
  "join first last reverse sort sort_natural size map sum compact concat push unshift pop shift slice uniq",
  "where reject group_by has find find_index",
  "date date_to_xmlschema date_to_rfc822 date_to_string date_to_long_string",
  "append prepend downcase upcase capitalize lstrip rstrip strip strip_newlines squish normalize_whitespace",
  "remove remove_first remove_last replace replace_first replace_last split truncate truncatewords",
  "number_of_words array_to_sentence_string base64_encode base64_decode sha256 hmac_sha256",
  "default to_integer json jsonify inspect",
].flatMap((names) => names.split(" "));

/** Filters that read their argument as a path, with LiquidJS's own tokenizer, which also reads ranges. */
export const pathFilters: readonly string[] = ["where", "reject", "group_by", "has", "find", "find_index"];
