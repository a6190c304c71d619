// Starts the language server, `ouro lsp`, for the languages that it reads.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("ouroboros").get("command");
  const languages = ["dve", "promela", "murphi"];
  client = new LanguageClient(
    "ouroboros",
    "Ouroboros",
    { command, args: ["lsp"] },
    { documentSelector: languages.map((language) => ({ scheme: "file", language })) },
  );
  return client.start();
};

exports.deactivate = () => client && client.stop();
