"use strict";

/* The rules that a query means, the likeliest first: by code or name, by the words of an error, by other words. */
function find(rules, query) {
  const wanted = words(query);
  if (!wanted.length) return [];
  return rules
    .map((rule, at) => ({ rule, at, rank: rank(rule, query.trim().toLowerCase(), wanted) }))
    .filter((one) => one.rank > 0)
    .sort((a, b) => b.rank - a.rank || a.at - b.at)
    .map((one) => one.rule);
}

function words(text) {
  return text.toLowerCase().split(/[^a-z0-9_.']+/).filter(Boolean);
}

function rank(rule, query, wanted) {
  const name = rule.name.toLowerCase();
  if (query === rule.code.toLowerCase() || query === name) return 5;
  if (rule.code.toLowerCase().startsWith(query)) return 4;
  if (rule.errors.some((error) => speaksOf(error.toLowerCase(), query))) return 3;
  if (wanted.every((word) => name.includes(word))) return 2;
  const text = [rule.code, name, rule.effect, rule.summary, ...rule.errors].join(" ").toLowerCase();
  return wanted.every((word) => text.includes(word)) ? 1 : 0;
}

/* Whether a query is a part of an error, or a whole message in which the parts of the error stand in order. */
function speaksOf(error, query) {
  if (query.length > 3 && error.includes(query)) return true;
  let at = 0;
  for (const part of error.split(" ... ")) {
    at = query.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return true;
}

function row(rule, up) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const code = document.createElement("b");
  const about = document.createElement("p");
  link.href = `${up}rules/${rule.name}.html`;
  code.textContent = rule.code;
  link.append(code, ` ${rule.name}`);
  about.textContent = rule.summary.replaceAll("`", "");
  item.append(link, about);
  return item;
}

function start() {
  const query = document.getElementById("query");
  const list = document.getElementById("found");
  const main = document.querySelector("main");
  const show = () => {
    const asked = query.value.trim() !== "";
    const found = find(RULES, query.value);
    list.replaceChildren(...found.map((rule) => row(rule, document.body.dataset.up)));
    if (asked && !found.length) list.textContent = "No rule speaks of it.";
    list.hidden = !asked;
    main.hidden = asked;
  };
  query.addEventListener("input", show);
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== query) {
      event.preventDefault();
      query.focus();
    }
  });
  query.value = decodeURIComponent(location.hash.match(/^#q=(.*)$/)?.[1] ?? "");
  show();
}

if (typeof document === "undefined") module.exports = { find };
else start();
